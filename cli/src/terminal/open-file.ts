import { openAsBlob } from 'node:fs'
import { access } from 'node:fs/promises'
import { Failure } from './failure.ts'
import { isMissing, messageOf } from './thrown.ts'

/** A file that is read as it is sent. Throws Failure. */
export async function openFile(path: string): Promise<Blob> {
  try {
    // The blob's own error does not show if the file exists.
    await access(path)
    return await openAsBlob(path, { type: 'text/csv' })
  } catch (error) {
    throw new Failure(
      isMissing(error) ? `There is no file ${path}.` : `${path} cannot be read: ${messageOf(error)}`,
    )
  }
}
