import { createHash, type Hash } from 'node:crypto'
import type { MarkerValue } from '@countersign/contract/connectors/file-exchange'
import type { BankFileEvent, BankFileState } from '../../storage/rows/states.ts'
import { buildMarkerContent, toMarkerName } from './markers.ts'
import {
  type BankFolder,
  FileNotFound,
  type FolderPath,
  type Piece,
  readAttempt,
  toPartName,
} from './stores/bank-folder.ts'

/** A file to be written. */
export interface FileToWrite {
  readonly name: string
  readonly state: BankFileState
  /** The name of the complete temporary file. Null until it exists. */
  readonly part: string | null
}

export interface WritingPlace {
  readonly folder: BankFolder
  /** The folder in which the bank looks for our files. */
  readonly outbox: string
  /** The setting for the marker file, which states that our file is complete. */
  readonly marker?: MarkerValue | undefined
}

/** A completed external step, which must be recorded before the next one. */
export interface WritingStep {
  readonly event: Extract<BankFileEvent, 'whole' | 'rename'>
  readonly part: string
}

/**
 * Takes the next step in writing a file whose number, name and payments are already recorded:
 * - WRITING: writes and flushes the whole file under a name that is unique to this attempt, then its marker
 *   (then READY)
 * - READY: renames the file to its final name, then its marker. If the temporary file is missing, an earlier
 *   attempt has renamed it, so it is never written again (then WRITTEN) After a crash, the step is repeated
 *   from the record. Concurrent processes write separate temporary files, and only the recorded one is ever
 *   renamed.
 * @param attempt is unique to this call
 * @returns undefined if nothing is left to do
 */
export async function takeWritingStep(
  file: FileToWrite,
  attempt: string,
  { folder, outbox, marker }: WritingPlace,
  content: () => AsyncIterable<Piece>,
): Promise<WritingStep | undefined> {
  const inOutbox = (name: string) => ({ folder: outbox, name })
  const markerName = marker && toMarkerName(marker, file.name)
  if (file.state === 'WRITING') {
    const part = toPartName(file.name, attempt)
    const sha256 = createHash('sha256')
    await folder.write(inOutbox(part), digestPieces(content(), sha256))
    if (marker && markerName !== undefined) {
      const text = buildMarkerContent(marker, file.name, sha256.digest('hex'))
      await folder.write(inOutbox(toPartName(markerName, attempt)), toPieces(text))
    }
    return { event: 'whole', part }
  }
  if (file.state !== 'READY' || file.part === null) return undefined
  await renameOnce(folder, inOutbox(file.part), inOutbox(file.name))
  if (markerName !== undefined) {
    const part = toPartName(markerName, readAttempt(file.part, file.name))
    await renameOnce(folder, inOutbox(part), inOutbox(markerName))
  }
  return { event: 'rename', part: file.part }
}

async function renameOnce(folder: BankFolder, from: FolderPath, to: FolderPath): Promise<void> {
  try {
    await folder.rename(from, to)
  } catch (error) {
    if (!(error instanceof FileNotFound)) throw error
  }
}

async function* digestPieces(pieces: AsyncIterable<Piece>, sha256: Hash): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    sha256.update(piece)
    yield piece
  }
}

async function* toPieces(text: string): AsyncGenerator<string> {
  if (text !== '') yield text
}

/** Removes temporary files of attempts that were never recorded, for a file and its marker. */
export async function removeParts(
  { name }: FileToWrite,
  { folder, outbox, marker }: WritingPlace,
): Promise<void> {
  for (const fileName of marker ? [name, toMarkerName(marker, name)] : [name])
    for (const part of await folder.parts(outbox, fileName))
      await folder.remove({ folder: outbox, name: part })
}
