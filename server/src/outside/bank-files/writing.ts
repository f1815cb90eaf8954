import type { BankFileEvent, BankFileState } from '../../storage/rows/states.ts'
import { type BankFolder, FileIsMissing, partName } from './stores/bank-folder.ts'

/** A file to be written, as the writer needs it. */
export interface FileToWrite {
  readonly name: string
  readonly state: BankFileState
  /** The name of the complete part; null until there is one. */
  readonly part: string | null
}

export interface WritingPlace {
  readonly folder: BankFolder
  /** The folder in which the bank looks for our files. */
  readonly outbox: string
}

/** A completed external step, to be recorded before the next one. */
export interface WritingStep {
  readonly event: Extract<BankFileEvent, 'whole' | 'rename'>
  readonly part: string
}

/**
 * Takes the next step of a file, whose number, name and payments are recorded already:
 *
 * - WRITING: writes the whole file under this attempt's name, and flushes it; each attempt writes identical
 * content
 * (then READY)
 * - READY: renames it to the name that the bank looks for; if the part is gone, an earlier attempt renamed it
 * and the
 * bank may have taken the file, so it is never written again (then WRITTEN)
 *
 * After a crash the step is taken again from the record. Concurrent processes write separate parts, of which
 * only the recorded one is ever renamed. @param attempt is unique to this call @returns undefined if nothing
 * is left to do
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

/** Removes parts of attempts that were never recorded. For a written file. */
export async function removeParts({ name }: FileToWrite, { folder, outbox }: WritingPlace): Promise<void> {
  for (const part of await folder.parts(outbox, name)) await folder.remove({ folder: outbox, name: part })
}
