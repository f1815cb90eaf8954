import { openAsBlob } from 'node:fs'
import { access } from 'node:fs/promises'
import { Failure } from './failure.ts'
import { getErrorSentence, isMissing } from './thrown.ts'

/** Opens a CSV file as a Blob that is streamed when sent. Throws `Failure` if it cannot be read. */
export async function openFile(path: string): Promise<Blob> {
  try {
    // Checked here, because an error while reading the blob would not say that the file is missing.
    await access(path)
    return await openAsBlob(path, { type: 'text/csv' })
  } catch (error) {
    throw new Failure(
      isMissing(error) ? `File ${path} not found.` : `Cannot read ${path}: ${getErrorSentence(error)}`,
    )
  }
}
