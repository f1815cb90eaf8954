import { type App, type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { decide } from '../../money/rails/rail-worker.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { BankInboxFileRow } from '../../storage/rows/bank-file.ts'
import { BANK_INBOX_REFUSED, BANK_INBOX_TRANSITIONS } from '../../storage/rows/states.ts'
import { workerIdOf } from './ids.ts'
import { markerOf } from './markers.ts'
import { type BankFilesRail, type BankFileWorker, isBankFilesRail } from './rail.ts'
import { selectInboxFile, selectToRetry, selectWorker } from './store.ts'
import { type BankFolder, FileIsMissing, type FolderPath } from './stores/bank-folder.ts'

/** The outcome for one refused file. */
export interface Retried {
  readonly rail: string
  readonly file: string
  readonly ok: boolean
  readonly says: string
}

/**
 * Moves refused files back to the inbox to read them again, for example after an upgrade: the files of one
 * rail or of all rails, with one name or any name.
 */
export async function retryRefused(app: App, rail?: string, file?: string): Promise<Retried[]> {
  const rails = app.rails
    .list()
    .filter(isBankFilesRail)
    .filter(({ name }) => rail === undefined || name === rail)
  if (rail !== undefined && rails.length === 0)
    throw new Error(`Rail ${rail} of kind bank-files not found in RAILS_FILE.`)
  const retried: Retried[] = []
  for (const one of rails) retried.push(...(await retryAt(app, one, file)))
  if (file !== undefined && retried.length === 0) throw new Error(`No file ${file} was refused.`)
  app.workers.wake()
  return retried
}

async function retryAt(app: App, rail: BankFilesRail, file: string | undefined): Promise<Retried[]> {
  const platformId = await app.rails.ownerOf(rail)
  if (platformId === undefined) return []
  const worker: BankFileWorker = { app, rail, platformId }
  const retried: Retried[] = []
  const share = rail.openFolder()
  try {
    for (const row of await selectToRetry(app, platformId, rail.name, file))
      retried.push(await retry(worker, share, row))
  } finally {
    await share.close()
  }
  if (retried.length > 0) await decide(worker, (op) => lookNow(op, rail))
  return retried
}

/**
 * Makes the next check of the inbox due. The new time differs from the one that a running worker has read, so
 * that worker checks again. A new worker starts with the inbox anyway.
 */
async function lookNow(op: Op, rail: BankFilesRail): Promise<Write[]> {
  const id = workerIdOf(rail.name)
  const row = await selectWorker(op, id)
  if (!row) return []
  const due = plusSeconds(op.now, -rail.inboxEverySeconds)
  const looked_at = new Date(Math.min(row.looked_at.getTime(), due.getTime()) - 1)
  return [update('bank_file_workers', id, {}, { looked_at })]
}

/**
 * Writes the record first. If a crash prevents the file from being moved back to the inbox, the next call
 * completes it.
 */
async function retry(
  worker: BankFileWorker,
  share: BankFolder,
  { id, name, sha256 }: BankInboxFileRow,
): Promise<Retried> {
  await decide(worker, async (op) => {
    const row = await selectInboxFile(op, id)
    if (row?.state !== BANK_INBOX_REFUSED) return []
    // Resets the kind, so that the file is inspected again before it has any effect.
    const anew = { kind: 'UNKNOWN', reason: null, records: 0 } as const
    return [transition(op, 'bank_inbox_files', BANK_INBOX_TRANSITIONS, row, 'retry', anew).write]
  })
  const logFields = { rail: worker.rail.name, file: name }
  const isBack = await backToInbox(share, worker.rail, name, Buffer.from(sha256).toString('hex'))
  return isBack
    ? { ...logFields, ok: true, says: 'It is back in the inbox, and will be read next.' }
    : {
        ...logFields,
        ok: false,
        says: `It is not in ${worker.rail.entry.place.refused} any more: put it into the inbox.`,
      }
}

/**
 * Moves a file back to the inbox. If two refused files have the same name, the later one has its digest in
 * front. The marker comes last, as when a bank writes it.
 */
async function backToInbox(
  share: BankFolder,
  { entry }: BankFilesRail,
  name: string,
  digest: string,
): Promise<boolean> {
  const { inbox, refused, done } = entry.place
  const to = { folder: inbox, name }
  const inRefused = (one: string) => [
    { folder: refused, name: `${digest.slice(0, 12)}-${one}` },
    { folder: refused, name: one },
  ]
  const isBack = await isMoved(share, inRefused(name), to)
  const { theirs } = entry.markers ?? {}
  if (theirs) {
    const marker = markerOf(theirs, name)
    const places = [...inRefused(marker), { folder: done, name: marker }]
    await isMoved(share, places, { folder: inbox, name: marker })
  }
  return isBack || share.exists(to)
}

/** Moves the first of these files that exists. Returns false if none does. */
async function isMoved(share: BankFolder, places: readonly FolderPath[], to: FolderPath): Promise<boolean> {
  for (const from of places)
    try {
      await share.rename(from, to)
      return true
    } catch (error) {
      if (!(error instanceof FileIsMissing)) throw error
    }
  return false
}
