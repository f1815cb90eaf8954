import { type App, plusSeconds } from '../../kernel/operation/app.ts'
import { type Background, inBackground } from '../../kernel/operation/background.ts'
import { decide, opOf } from '../../money/rails/rail-worker.ts'
import { insert, update } from '../../storage/commit/writes.ts'
import type { BankFileWorkerRow } from '../../storage/rows/bank-file.ts'
import { isCollectionDue } from './cut-off-times.ts'
import { selectOpenFiles, selectSettling } from './file-store.ts'
import { workerIdOf } from './ids.ts'
import { readInbox } from './inbox.ts'
import { openFile } from './open-file.ts'
import { finishFiles, settleFiles } from './outgoing.ts'
import { failRefused, orderPrenotes } from './prenotes.ts'
import { type BankFileWorker, isBankFilesRail } from './rail.ts'
import { selectWorker } from './store.ts'

const INTERVAL_MS = 1_000
/** A crashed process blocks the others for this time. A live process renews its claim. */
const CLAIM_SECONDS = 120
/** Pause after a failure, because the bank's server may be down for a while. */
const PAUSE_SECONDS = 30
const EVER = new Date(0)

/**
 * Starts the bank file worker, which turns payments into files, writes files, and reads the banks' files.
 * Only one process works on a rail at a time, but every step is also safe if two overlap. After a crash at
 * any point, another process continues.
 */
export function startBankFileWorker(app: App): Background {
  const paused = new Map<string, Date>()
  return inBackground(
    INTERVAL_MS,
    () => runAllRails(app, paused),
    (error) => app.log.error({ err: error }, 'bank file worker failed'),
  )
}

/** Runs the worker once for each rail. A failure is logged, and the rail is retried later. */
export async function runAllRails(app: App, paused: Map<string, Date> = new Map()): Promise<void> {
  for (const rail of app.rails.list().filter(isBankFilesRail)) {
    if ((paused.get(rail.name) ?? EVER) > app.clock()) continue
    try {
      const platformId = await app.rails.ownerOf(rail)
      if (platformId !== undefined) await work({ app, rail, platformId })
    } catch (error) {
      paused.set(rail.name, plusSeconds(app.clock(), PAUSE_SECONDS))
      app.log.error({ err: error, rail: rail.name }, 'bank files of a rail have stopped')
    } finally {
      await rail.folder.close()
    }
  }
}

async function work(worker: BankFileWorker): Promise<void> {
  const { rail } = worker
  const row = (await hasWork(worker)) ? await claim(worker) : undefined
  if (!row) return
  try {
    await finishFiles(worker)
    await failRefused(worker)
    if (isCollectionDue(rail.entry, row.collected_at, row.updated_at))
      await collectAll(worker, row.updated_at)
    await settleFiles(worker)
    if (isInboxDue(worker, row, row.updated_at)) {
      await readInbox(worker, () => renew(worker))
      await failRefused(worker)
      await noteLook(worker, row)
    }
  } finally {
    await change(worker, { claimed_until: EVER })
  }
}

/** Checks whether there is any work before claiming the rail. */
async function hasWork(worker: BankFileWorker): Promise<boolean> {
  const op = await opOf(worker)
  const { name, entry } = worker.rail
  const row = await selectWorker(op, workerIdOf(name))
  if (!row || isCollectionDue(entry, row.collected_at, op.now) || isInboxDue(worker, row, op.now)) return true
  const awaits = entry.acknowledgements !== undefined
  return (await selectOpenFiles(op, name, awaits)).length > 0 || (await selectSettling(op, name)).length > 0
}

function isInboxDue({ rail }: BankFileWorker, { looked_at }: BankFileWorkerRow, now: Date): boolean {
  return now >= plusSeconds(looked_at, rail.inboxEverySeconds)
}

/** Creates files for all payments that were waiting at `until`. */
async function collectAll(worker: BankFileWorker, until: Date): Promise<void> {
  await orderPrenotes(worker, until)
  await renew(worker)
  while (await openFile(worker, until)) {
    await finishFiles(worker)
    await renew(worker)
  }
  await change(worker, { collected_at: until })
}

/**
 * Claims the rail for this process. Undefined if another process is working on it. `updated_at` is the time
 * of the claim.
 */
async function claim(worker: BankFileWorker): Promise<BankFileWorkerRow | undefined> {
  const op = await opOf(worker)
  const id = workerIdOf(worker.rail.name)
  const found = await selectWorker(op, id)
  if (found && found.claimed_until > op.now) return undefined
  const claimed = { claimed_until: plusSeconds(op.now, CLAIM_SECONDS), updated_at: op.now }
  const row = found ? { ...found, ...claimed } : { ...newWorkerRow(worker, op.now), ...claimed }
  const write = found
    ? update('bank_file_workers', id, { claimed_until: found.claimed_until }, claimed)
    : insert('bank_file_workers', row)
  return (await worker.app.commit(op, [write])).done ? row : undefined
}

function newWorkerRow({ rail, platformId }: BankFileWorker, now: Date): BankFileWorkerRow {
  return {
    id: workerIdOf(rail.name),
    platform_id: platformId,
    rail: rail.name,
    files: 0n,
    traces: 0n,
    reversals: 0n,
    collected_at: EVER,
    looked_at: EVER,
    claimed_until: EVER,
    created_at: now,
    updated_at: now,
  }
}

function renew(worker: BankFileWorker): Promise<void> {
  return decide(worker, async (op) => [
    update(
      'bank_file_workers',
      workerIdOf(worker.rail.name),
      {},
      { claimed_until: plusSeconds(op.now, CLAIM_SECONDS) },
    ),
  ])
}

/** Records the inbox check, unless the operator requested another one in the meantime; that one stays due. */
function noteLook(worker: BankFileWorker, { id, looked_at, updated_at }: BankFileWorkerRow): Promise<void> {
  return decide(worker, async (op) => {
    const wasMoved = (await selectWorker(op, id))?.looked_at.getTime() !== looked_at.getTime()
    return wasMoved ? [] : [update('bank_file_workers', id, { looked_at }, { looked_at: updated_at })]
  })
}

function change(worker: BankFileWorker, set: Partial<BankFileWorkerRow>): Promise<void> {
  return decide(worker, async () => [update('bank_file_workers', workerIdOf(worker.rail.name), {}, set)])
}
