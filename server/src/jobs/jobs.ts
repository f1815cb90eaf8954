import type { Op } from '../app.ts'
import type { JobRow } from '../db/tables.ts'
import { insert, type Write } from '../db/writes.ts'
import type { JobKind } from './kinds.ts'

/** Work that falls due at `dueAt`, by the platform's clock. It is done at least once and takes effect exactly once. */
export function job(op: Op, kind: JobKind, payload: Record<string, unknown>, dueAt: Date): Write {
  return insert('jobs', {
    id: op.newId('Job'),
    platform_id: op.platform.id,
    kind,
    payload,
    due_at: dueAt,
    attempts: 0,
    claimed_until: null,
    last_error: null,
    created_at: op.now,
  })
}

/** The due work among an operation's writes that is due at once, that of its events included. */
export function dueNow(
  op: Pick<Op, 'now'>,
  writes: readonly Write[],
): readonly { readonly write: Write; readonly job: JobRow }[] {
  const due: { write: Write; job: JobRow }[] = []
  for (const one of writes) {
    const write = one.write === 'event' ? one.delivery : one
    if (write?.write !== 'insert' || write.table !== 'jobs') continue
    const job = write.row as unknown as JobRow
    if (job.due_at <= op.now) due.push({ write, job })
  }
  return due
}
