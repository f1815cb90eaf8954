import type { BankFileEvent, BankFileState } from '../../storage/rows/states.ts'
import { type BankFolder, FileIsMissing, partName } from './stores/bank-folder.ts'

/** What the writing of a file needs to know of it. */
export interface FileToWrite {
  readonly name: string
  readonly state: BankFileState
  /** The name of the part that is whole; null until there is one. */
  readonly part: string | null
}

export interface WritingPlace {
  readonly folder: BankFolder
  /** Where the bank looks for our files. */
  readonly outbox: string
}

/** What has happened outside, to be recorded before the next step. */
export interface WritingStep {
  readonly event: Extract<BankFileEvent, 'whole' | 'rename'>
  readonly part: string
}

/**
 * Takes the next step of a file, whose number, name and payments are recorded already:
 *
 * - WRITING: writes all of it under the name of this attempt, flushed. Its content follows from what is recorded, so each
 *   attempt writes the same. Recorded as READY with that name.
 * - READY: gives the part its name, at which the bank sees it. Where the part is gone, an earlier attempt has done that and
 *   the bank may have taken the file: it is never written again. Recorded as WRITTEN.
 *
 * After a crash at any point the step is taken again from what was recorded. Two processes may take it at the same time: each
 * writes a part of its own, one of them is recorded, and only the recorded one is ever renamed.
 * @param attempt is unique to this call
 * @returns undefined where nothing is left to do
 */
export async function takeWritingStep(
  file: FileToWrite,
  attempt: string,
  { folder, outbox }: WritingPlace,
  content: () => AsyncIterable<string>,
): Promise<WritingStep | undefined> {
  if (file.state === 'WRITING') {
    const part = partName(file.name, attempt)
    await folder.write({ folder: outbox, name: part }, content())
    return { event: 'whole', part }
  }
  if (file.state !== 'READY' || file.part === null) return undefined
  try {
    await folder.rename({ folder: outbox, name: file.part }, { folder: outbox, name: file.name })
  } catch (error) {
    if (!(error instanceof FileIsMissing)) throw error
  }
  return { event: 'rename', part: file.part }
}

/** Removes what attempts have left that were never recorded. For a file that was written. */
export async function removeParts({ name }: FileToWrite, { folder, outbox }: WritingPlace): Promise<void> {
  for (const part of await folder.parts(outbox, name)) await folder.remove({ folder: outbox, name: part })
}
