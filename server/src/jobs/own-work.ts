import { type Write, withValues } from '../db/commit/writes.ts'
import { type App, type Op, plusSeconds } from '../op/app.ts'
import type { dueNow } from './jobs.ts'
import { LANES, laneOf } from './lanes.ts'
import type { Room } from './room.ts'
import type { DueJob } from './store.ts'

/** New work that this process does itself as soon as it is committed, by the write that adds it. */
export type OwnWork = ReadonlyMap<Write, DueJob>

/** Takes room for the new work of an operation, as far as there is any. What finds none is left to be looked for. */
export function takeOwnWork(
  room: Room,
  op: Op,
  writes: readonly Write[],
  due: ReturnType<typeof dueNow>,
): OwnWork {
  const own = new Map<Write, DueJob>()
  // What an operation changes of the platform itself, its due work finds changed: it is claimed, with the platform as it then is.
  if (writes.some((write) => write.write === 'update' && write.table === 'platforms')) return own
  for (const { write, job } of due)
    if (room.takeForNew(laneOf(job.kind), job.platform_id)) own.set(write, { ...job, platform: op.platform })
  return own
}

/** The writes of an operation, with those of its own work claimed from the first moment. */
export function withClaims(app: App, own: OwnWork, writes: readonly Write[]): readonly Write[] {
  return own.size > 0 ? writes.map((write) => withClaim(app, own, write)) : writes
}

function withClaim(app: App, own: OwnWork, write: Write): Write {
  if (write.write === 'event' && write.delivery)
    return own.has(write.delivery) ? { ...write, delivery: withClaim(app, own, write.delivery) } : write
  const job = own.get(write)
  if (!job || write.write !== 'insert') return write
  const claimedUntil = plusSeconds(app.clock(), LANES[laneOf(job.kind)].claimSeconds)
  return withValues(write, { attempts: 1, claimed_until: claimedUntil })
}
