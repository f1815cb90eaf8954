import { type App, plusSeconds } from '../../kernel/operation/app.ts'
import { type Background, inBackground } from '../../kernel/operation/background.ts'
import { decide, opOf } from '../../money/rails/rail-worker.ts'
import { insert, update } from '../../storage/commit/writes.ts'
import type { BankDeskRow } from '../../storage/rows/bank-file.ts'
import { isCollectionDue } from './cut-off-times.ts'
import { deskIdOf } from './ids.ts'
import { readInbox } from './inbox.ts'
import { finishFiles, openFile, settleFiles } from './outgoing.ts'
import { type Desk, isBankFilesRail } from './rail.ts'
import { selectDesk, selectOpenFiles, selectSettling } from './store.ts'

const INTERVAL_MS = 1_000
/** Time for which a dead process blocks the others. A working one renews its claim. */
const CLAIM_SECONDS = 120
/** Pause after a failure: the bank's server may be down for a while. */
const PAUSE_SECONDS = 30
const EVER = new Date(0)

/**
 * Starts the worker of bank files: payments become files, files are written, and files of banks are read. One
 * process works on a rail at a time; its steps are guarded anyway, and a crash at any point leaves the rest
 * to the next one.
 */
export function startBankFileWorker(app: App): Background {
  const paused = new Map<string, Date>()
  return inBackground(
    INTERVAL_MS,
    () => runAllRails(app, paused),
    (error) => app.log.error({ err: error }, 'bank file worker failed'),
  )
}

/** Works once on each rail. A rail that fails is logged and retried. */
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

async function work(desk: Desk): Promise<void> {
  const { rail } = desk
  const row = (await hasWork(desk)) ? await claim(desk) : undefined
  if (!row) return
  try {
    await finishFiles(desk)
    if (isCollectionDue(rail.entry, row.collected_at, row.updated_at)) await collectAll(desk, row.updated_at)
    await settleFiles(desk)
    if (isInboxDue(desk, row, row.updated_at)) {
      await readInbox(desk, () => renew(desk))
      await noteLook(desk, row)
    }
  } finally {
    await change(desk, { claimed_until: EVER })
  }
}

/** True if there is work, without a claim. */
async function hasWork(desk: Desk): Promise<boolean> {
  const op = await opOf(desk)
  const { name, entry } = desk.rail
  const row = await selectDesk(op, deskIdOf(name))
  if (!row || isCollectionDue(entry, row.collected_at, op.now) || isInboxDue(desk, row, op.now)) return true
  return (await selectOpenFiles(op, name)).length > 0 || (await selectSettling(op, name)).length > 0
}

function isInboxDue({ rail }: Desk, { looked_at }: BankDeskRow, now: Date): boolean {
  return now >= plusSeconds(looked_at, rail.inboxEverySeconds)
}

/** Creates files of all payments that waited at `until`. */
async function collectAll(desk: Desk, until: Date): Promise<void> {
  for (;;) {
    await renew(desk)
    const row = await selectDesk(await opOf(desk), deskIdOf(desk.rail.name))
    if (!row || !(await openFile(desk, row, until))) break
    await finishFiles(desk)
  }
  await change(desk, { collected_at: until })
}

/**
 * Claims the rail for this process; undefined if another one works on it. `updated_at` is the time of the
 * claim.
 */
async function claim(desk: Desk): Promise<BankDeskRow | undefined> {
  const op = await opOf(desk)
  const id = deskIdOf(desk.rail.name)
  const found = await selectDesk(op, id)
  if (found && found.claimed_until > op.now) return undefined
  const claimed = { claimed_until: plusSeconds(op.now, CLAIM_SECONDS), updated_at: op.now }
  const row = found ? { ...found, ...claimed } : { ...newDesk(desk, op.now), ...claimed }
  const write = found
    ? update('bank_desks', id, { claimed_until: found.claimed_until }, claimed)
    : insert('bank_desks', row)
  return (await desk.app.commit(op, [write])).done ? row : undefined
}

function newDesk({ rail, platformId }: Desk, now: Date): BankDeskRow {
  return {
    id: deskIdOf(rail.name),
    platform_id: platformId,
    rail: rail.name,
    files: 0n,
    traces: 0n,
    collected_at: EVER,
    looked_at: EVER,
    claimed_until: EVER,
    created_at: now,
    updated_at: now,
  }
}

function renew(desk: Desk): Promise<void> {
  return decide(desk, async (op) => [
    update('bank_desks', deskIdOf(desk.rail.name), {}, { claimed_until: plusSeconds(op.now, CLAIM_SECONDS) }),
  ])
}

/** Unless the operator requested another look, which is then due. */
function noteLook(desk: Desk, { id, looked_at, updated_at }: BankDeskRow): Promise<void> {
  return decide(desk, async (op) => {
    const isAsked = (await selectDesk(op, id))?.looked_at.getTime() !== looked_at.getTime()
    return isAsked ? [] : [update('bank_desks', id, { looked_at }, { looked_at: updated_at })]
  })
}

function change(desk: Desk, set: Partial<BankDeskRow>): Promise<void> {
  return decide(desk, async () => [update('bank_desks', deskIdOf(desk.rail.name), {}, set)])
}
