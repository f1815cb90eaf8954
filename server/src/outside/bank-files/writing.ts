import { createHash, type Hash } from 'node:crypto'
import type { MarkerValue } from '@countersign/contract/connectors/file-exchange'
import type { BankFileEvent, BankFileState } from '../../storage/rows/states.ts'
import { markerContent, markerOf } from './markers.ts'
import {
  attemptOf,
  type BankFolder,
  FileIsMissing,
  type FolderPath,
  type Piece,
  partName,
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
  /** The marker file that says that ours is complete. */
  readonly marker?: MarkerValue | undefined
}

/** A completed external step, which must be recorded before the next one. */
export interface WritingStep {
  readonly event: Extract<BankFileEvent, 'whole' | 'rename'>
  readonly part: string
}

/**
 * Takes the next step in writing a file whose number, name and payments are already recorded:
 * - WRITING: writes the whole file under a name that is unique to this attempt and flushes it, then does the
 *   same with its marker (then READY)
 * - READY: renames the file to the name that the bank looks for, then its marker. If the temporary file is
 *   gone, an earlier attempt has renamed it and the bank may have taken it, so it is never written again (then
 *   WRITTEN)
 * After a crash, the step is repeated from the record. Concurrent processes write separate temporary files, and
 * only the recorded one is ever renamed.
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
  const markerName = marker && markerOf(marker, file.name)
  if (file.state === 'WRITING') {
    const part = partName(file.name, attempt)
    const sha256 = createHash('sha256')
    await folder.write(inOutbox(part), digesting(content(), sha256))
    if (marker && markerName !== undefined) {
      const text = markerContent(marker, file.name, sha256.digest('hex'))
      await folder.write(inOutbox(partName(markerName, attempt)), onePiece(text))
    }
    return { event: 'whole', part }
  }
  if (file.state !== 'READY' || file.part === null) return undefined
  await renameOnce(folder, inOutbox(file.part), inOutbox(file.name))
  if (markerName !== undefined) {
    const part = partName(markerName, attemptOf(file.part, file.name))
    await renameOnce(folder, inOutbox(part), inOutbox(markerName))
  }
  return { event: 'rename', part: file.part }
}

async function renameOnce(folder: BankFolder, from: FolderPath, to: FolderPath): Promise<void> {
  try {
    await folder.rename(from, to)
  } catch (error) {
    if (!(error instanceof FileIsMissing)) throw error
  }
}

async function* digesting(pieces: AsyncIterable<Piece>, sha256: Hash): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    sha256.update(piece)
    yield piece
  }
}

async function* onePiece(text: string): AsyncGenerator<string> {
  if (text !== '') yield text
}

/**
 * Removes the temporary files of a written file and its marker that belong to attempts that were never
 * recorded.
 */
export async function removeParts(
  { name }: FileToWrite,
  { folder, outbox, marker }: WritingPlace,
): Promise<void> {
  for (const whole of marker ? [name, markerOf(marker, name)] : [name])
    for (const part of await folder.parts(outbox, whole)) await folder.remove({ folder: outbox, name: part })
}
