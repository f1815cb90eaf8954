import { type App, addSeconds } from '../../kernel/operation/app.ts'
import { type Background, runInBackground } from '../../kernel/operation/background.ts'
import { createRailOp, decide } from '../../money/rails/rail-worker.ts'
import { insert, update } from '../../storage/commit/writes.ts'
import type { BankFileWorkerRow } from '../../storage/rows/bank-file.ts'
import { isCollectionDue } from './cut-off-times.ts'
import { selectOpenFiles, selectSettlingFiles } from './file-store.ts'
import { toWorkerId } from './ids.ts'
import { readInbox } from './inbox.ts'
import { openFile } from './open-file.ts'
import { finishFiles, settleFiles } from './outgoing.ts'
import { failRefusedPayments, orderPrenotes } from './prenotes.ts'
import { type BankFileWorker, isBankFilesRail } from './rail.ts'
import { selectWorker } from './store.ts'

const INTERVAL_MS = 1_000
/** A crashed process blocks the others for this long. A live process renews its claim. */
const CLAIM_SECONDS = 120
/** Pause after a failure, because the bank's server may be down for a while. */
const PAUSE_SECONDS = 30
const LONG_AGO = new Date(0)

/**
 * Starts the bank file worker, which turns payments into files, writes them, and reads the banks' files. One
 * process works on a rail at a time, but every step is safe if two overlap. After a crash, another process
 * continues.
 */
export function startBankFileWorker(app: App): Background {
  const paused = new Map<string, Date>()
  return runInBackground(
    INTERVAL_MS,
    () => runAllRails(app, paused),
    (error) => app.log.error({ err: error }, 'bank file worker failed'),
  )
}

/** Runs the worker once for each rail. A failure is logged, and the rail is retried later. */
export async function runAllRails(app: App, paused: Map<string, Date> = new Map()): Promise<void> {
  for (const rail of app.rails.list().filter(isBankFilesRail)) {
    if ((paused.get(rail.name) ?? LONG_AGO) > app.clock()) continue
    try {
      const platformId = await app.rails.ownerOf(rail)
      if (platformId !== undefined) await workOnRail({ app, rail, platformId })
    } catch (error) {
      paused.set(rail.name, addSeconds(app.clock(), PAUSE_SECONDS))
      app.log.error({ err: error, rail: rail.name }, 'failed to process the bank files of a rail')
    } finally {
      await rail.folder.close()
    }
  }
}

async function workOnRail(worker: BankFileWorker): Promise<void> {
  const { rail } = worker
  const row = (await hasWork(worker)) ? await claimRail(worker) : undefined
  if (!row) return
  try {
    await finishFiles(worker)
    await failRefusedPayments(worker)
    if (isCollectionDue(rail.entry, row.collected_at, row.updated_at))
      await collectAll(worker, row.updated_at)
    await settleFiles(worker)
    if (isInboxDue(worker, row, row.updated_at)) {
      await readInbox(worker, () => renewClaim(worker))
      await failRefusedPayments(worker)
      await recordInboxCheck(worker, row)
    }
  } finally {
    await updateWorker(worker, { claimed_until: LONG_AGO })
  }
}

/** Checks whether there is any work before claiming the rail. */
async function hasWork(worker: BankFileWorker): Promise<boolean> {
  const op = await createRailOp(worker)
  const { name, entry } = worker.rail
  const row = await selectWorker(op, toWorkerId(name))
  if (!row || isCollectionDue(entry, row.collected_at, op.now) || isInboxDue(worker, row, op.now)) return true
  const needsAcknowledgement = entry.acknowledgements !== undefined
  return (
    (await selectOpenFiles(op, name, needsAcknowledgement)).length > 0 ||
    (await selectSettlingFiles(op, name)).length > 0
  )
}

function isInboxDue({ rail }: BankFileWorker, { looked_at }: BankFileWorkerRow, now: Date): boolean {
  return now >= addSeconds(looked_at, rail.inboxEverySeconds)
}

/** Creates files for all payments that have been waiting since `until` or longer. */
async function collectAll(worker: BankFileWorker, until: Date): Promise<void> {
  await orderPrenotes(worker, until)
  await renewClaim(worker)
  while (await openFile(worker, until)) {
    await finishFiles(worker)
    await renewClaim(worker)
  }
  await updateWorker(worker, { collected_at: until })
}

/**
 * Claims the rail for this process. Undefined if another process is working on it. `updated_at` is the time
 * of the claim.
 */
async function claimRail(worker: BankFileWorker): Promise<BankFileWorkerRow | undefined> {
  const op = await createRailOp(worker)
  const id = toWorkerId(worker.rail.name)
  const found = await selectWorker(op, id)
  if (found && found.claimed_until > op.now) return undefined
  const claimed = { claimed_until: addSeconds(op.now, CLAIM_SECONDS), updated_at: op.now }
  const row = found ? { ...found, ...claimed } : { ...buildWorkerRow(worker, op.now), ...claimed }
  const write = found
    ? update('bank_file_workers', id, { claimed_until: found.claimed_until }, claimed)
    : insert('bank_file_workers', row)
  return (await worker.app.commit(op, [write])).done ? row : undefined
}

function buildWorkerRow({ rail, platformId }: BankFileWorker, now: Date): BankFileWorkerRow {
  return {
    id: toWorkerId(rail.name),
    platform_id: platformId,
    rail: rail.name,
    files: 0n,
    traces: 0n,
    reversals: 0n,
    collected_at: LONG_AGO,
    looked_at: LONG_AGO,
    claimed_until: LONG_AGO,
    created_at: now,
    updated_at: now,
  }
}

function renewClaim(worker: BankFileWorker): Promise<void> {
  return decide(worker, async (op) => [
    update(
      'bank_file_workers',
      toWorkerId(worker.rail.name),
      {},
      { claimed_until: addSeconds(op.now, CLAIM_SECONDS) },
    ),
  ])
}

/** Records the inbox check, unless an operator has requested another one in the meantime, which stays due. */
function recordInboxCheck(
  worker: BankFileWorker,
  { id, looked_at, updated_at }: BankFileWorkerRow,
): Promise<void> {
  return decide(worker, async (op) => {
    const wasRescheduled = (await selectWorker(op, id))?.looked_at.getTime() !== looked_at.getTime()
    return wasRescheduled ? [] : [update('bank_file_workers', id, { looked_at }, { looked_at: updated_at })]
  })
}

function updateWorker(worker: BankFileWorker, set: Partial<BankFileWorkerRow>): Promise<void> {
  return decide(worker, async () => [update('bank_file_workers', toWorkerId(worker.rail.name), {}, set)])
}
