import { type Write, withValues } from '../../storage/commit/writes.ts'
import { type App, type Op, plusSeconds } from '../operation/app.ts'
import type { Capacity } from './capacity.ts'
import type { dueNow } from './jobs.ts'
import { LANES, laneOf } from './lanes.ts'
import { SHARED_KINDS } from './shared-row.ts'
import type { DueJob } from './store.ts'

/** New jobs that this process runs as soon as they are committed, by the write that adds them. */
export type OwnWork = ReadonlyMap<Write, DueJob>

/** Takes capacity for an operation's new jobs while it lasts. The search for due jobs finds the others. */
export function takeOwnWork(
  capacity: Capacity,
  op: Op,
  writes: readonly Write[],
  due: ReturnType<typeof dueNow>,
): OwnWork {
  const own = new Map<Write, DueJob>()
  // A job must see a change of its platform, so it is claimed later, with the changed platform.
  if (writes.some((write) => write.write === 'update' && write.table === 'platforms')) return own
  // Jobs of another platform are claimed later, as that platform's.
  const taken = due.filter(
    ({ job }) => job.platform_id === op.platform.id && capacity.takeForNew(laneOf(job.kind), job.platform_id),
  )
  if (taken.length === 0) return own
  const known = op.known.rowsAfter(writes)
  for (const { write, job } of taken) own.set(write, { ...job, platform: op.platform, known })
  return own
}

/** The writes of an operation, with its own jobs already claimed. */
export function withClaims(app: App, own: OwnWork, writes: readonly Write[]): readonly Write[] {
  return own.size > 0 ? writes.map((write) => withClaim(app, own, write)) : writes
}

function withClaim(app: App, own: OwnWork, write: Write): Write {
  const job = own.get(write)
  if (!job || write.write !== 'insert') return write
  const claimedUntil = plusSeconds(app.clock(), LANES[laneOf(job.kind)].claimSeconds)
  const claimed = withValues(write, { attempts: 1, claimed_until: claimedUntil })
  return SHARED_KINDS.has(job.kind) ? { ...claimed, shares: true } : claimed
}
