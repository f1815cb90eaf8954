import { type Write, withValues } from '../../storage/commit/writes.ts'
import { type App, addSeconds, type Op } from '../operation/app.ts'
import type { Capacity } from './capacity.ts'
import type { dueNow } from './jobs.ts'
import { findLane, LANES } from './lanes.ts'
import { SHARED_KINDS } from './shared-row.ts'
import type { DueJob } from './store.ts'

/** New jobs that this process runs as soon as they are committed, by the write that adds each. */
export type OwnJobs = ReadonlyMap<Write, DueJob>

/**
 * Takes capacity for as many of an operation's new jobs as possible. The others are found by the search for
 * due jobs.
 */
export function takeOwnJobs(
  capacity: Capacity,
  op: Op,
  writes: readonly Write[],
  due: ReturnType<typeof dueNow>,
): OwnJobs {
  const ownJobs = new Map<Write, DueJob>()
  // If the platform itself changes, its jobs must see the change, so they are claimed later.
  if (writes.some((write) => write.write === 'update' && write.table === 'platforms')) return ownJobs
  // Jobs of other platforms are claimed later, in the context of those platforms.
  const ownDue = due.filter(
    ({ job }) =>
      job.platform_id === op.platform.id && capacity.takeForNew(findLane(job.kind), job.platform_id),
  )
  if (ownDue.length === 0) return ownJobs
  const knownRows = op.known.rowsAfter(writes)
  for (const { write, job } of ownDue) ownJobs.set(write, { ...job, platform: op.platform, known: knownRows })
  return ownJobs
}

/** The writes of an operation, in which the jobs of this process are already claimed. */
export function withClaims(app: App, ownJobs: OwnJobs, writes: readonly Write[]): readonly Write[] {
  return ownJobs.size > 0 ? writes.map((write) => withClaim(app, ownJobs, write)) : writes
}

function withClaim(app: App, ownJobs: OwnJobs, write: Write): Write {
  const job = ownJobs.get(write)
  if (!job || write.write !== 'insert') return write
  const claimedUntil = addSeconds(app.clock(), LANES[findLane(job.kind)].claimSeconds)
  const claimed = withValues(write, { attempts: 1, claimed_until: claimedUntil })
  return SHARED_KINDS.has(job.kind) ? { ...claimed, shares: true } : claimed
}
