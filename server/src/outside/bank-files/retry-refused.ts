import { type App, addSeconds, type Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { decide } from '../../money/rails/rail-worker.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { BankInboxFileRow } from '../../storage/rows/bank-file.ts'
import { BANK_INBOX_REFUSED, BANK_INBOX_TRANSITIONS } from '../../storage/rows/states.ts'
import { toWorkerId } from './ids.ts'
import { toMarkerName } from './markers.ts'
import { type BankFilesRail, type BankFileWorker, isBankFilesRail } from './rail.ts'
import { selectInboxFile, selectToRetry, selectWorker } from './store.ts'
import { type BankFolder, FileNotFound, type FolderPath } from './stores/bank-folder.ts'

/** The outcome for one refused file. */
export interface RetryOutcome {
  readonly rail: string
  readonly file: string
  readonly ok: boolean
  readonly says: string
}

/**
 * Moves refused files back to the inbox to read them again, for example after an upgrade. `rail` and `file`
 * limit the selection by name.
 */
export async function retryRefused(app: App, rail?: string, file?: string): Promise<RetryOutcome[]> {
  const rails = app.rails
    .list()
    .filter(isBankFilesRail)
    .filter(({ name }) => rail === undefined || name === rail)
  if (rail !== undefined && rails.length === 0)
    throw new Error(`Rail ${rail} of kind bank-files not found in RAILS_FILE.`)
  const retried: RetryOutcome[] = []
  for (const bankRail of rails) retried.push(...(await retryRail(app, bankRail, file)))
  if (file !== undefined && retried.length === 0) throw new Error(`Refused file ${file} not found.`)
  app.workers.wake()
  return retried
}

async function retryRail(app: App, rail: BankFilesRail, file: string | undefined): Promise<RetryOutcome[]> {
  const platformId = await app.rails.ownerOf(rail)
  if (platformId === undefined) return []
  const worker: BankFileWorker = { app, rail, platformId }
  const retried: RetryOutcome[] = []
  const share = rail.openFolder()
  try {
    for (const row of await selectToRetry(app, platformId, rail.name, file))
      retried.push(await retryFile(worker, share, row))
  } finally {
    await share.close()
  }
  if (retried.length > 0) await decide(worker, (op) => scheduleInboxCheck(op, rail))
  return retried
}

/**
 * Makes the next inbox check due. The new time differs from the time that a running worker has read, so that
 * worker checks again. A new worker starts with the inbox anyway.
 */
async function scheduleInboxCheck(op: Op, rail: BankFilesRail): Promise<Write[]> {
  const id = toWorkerId(rail.name)
  const row = await selectWorker(op, id)
  if (!row) return []
  const due = addSeconds(op.now, -rail.inboxEverySeconds)
  const looked_at = new Date(Math.min(row.looked_at.getTime(), due.getTime()) - 1)
  return [update('bank_file_workers', id, {}, { looked_at })]
}

/** Updates the record first. If a crash prevents the move to the inbox, the next call completes it. */
async function retryFile(
  worker: BankFileWorker,
  share: BankFolder,
  { id, name, sha256 }: BankInboxFileRow,
): Promise<RetryOutcome> {
  await decide(worker, async (op) => {
    const row = await selectInboxFile(op, id)
    if (row?.state !== BANK_INBOX_REFUSED) return []
    // Resets the kind, so that the file is inspected again before it takes effect.
    const reset = { kind: 'UNKNOWN', reason: null, records: 0 } as const
    return [transition(op, 'bank_inbox_files', BANK_INBOX_TRANSITIONS, row, 'retry', reset).write]
  })
  const logFields = { rail: worker.rail.name, file: name }
  const isBack = await moveToInbox(share, worker.rail, name, Buffer.from(sha256).toString('hex'))
  return isBack
    ? { ...logFields, ok: true, says: 'The file is back in the inbox and will be read next.' }
    : {
        ...logFields,
        ok: false,
        says: `The file is no longer in ${worker.rail.entry.place.refused}. Move it to the inbox.`,
      }
}

/**
 * Moves a file back to the inbox. If two refused files have the same name, the later one has its digest as a
 * prefix. The marker is moved last, just as a bank writes it last.
 */
async function moveToInbox(
  share: BankFolder,
  { entry }: BankFilesRail,
  name: string,
  digest: string,
): Promise<boolean> {
  const { inbox, refused, done } = entry.place
  const to = { folder: inbox, name }
  const inRefused = (fileName: string) => [
    { folder: refused, name: `${digest.slice(0, 12)}-${fileName}` },
    { folder: refused, name: fileName },
  ]
  const isBack = await moveFirstFound(share, inRefused(name), to)
  const { theirs } = entry.markers ?? {}
  if (theirs) {
    const marker = toMarkerName(theirs, name)
    const places = [...inRefused(marker), { folder: done, name: marker }]
    await moveFirstFound(share, places, { folder: inbox, name: marker })
  }
  return isBack || share.exists(to)
}

/** Moves the first of these files that exists. Returns false if none exists. */
async function moveFirstFound(
  share: BankFolder,
  places: readonly FolderPath[],
  to: FolderPath,
): Promise<boolean> {
  for (const from of places)
    try {
      await share.rename(from, to)
      return true
    } catch (error) {
      if (!(error instanceof FileNotFound)) throw error
    }
  return false
}
