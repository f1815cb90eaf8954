import { insert, type Write } from '../db/commit/writes.ts'
import type { JobRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'
import type { JobKind } from './kinds.ts'

/**
 * A job that falls due at `dueAt`, by the platform's clock. It runs at least once and takes effect exactly once.
 * `known` is passed to its handler where this process runs it at once.
 */
export function job(
  op: Op,
  kind: JobKind,
  payload: Record<string, unknown>,
  dueAt: Date,
  known?: unknown,
): Write {
  const write = insert('jobs', {
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
  return { ...write, known }
}

/** The jobs among an operation's writes that are due at once, including those of its events. */
export function dueNow(
  op: Pick<Op, 'now'>,
  writes: readonly Write[],
): readonly { readonly write: Write; readonly job: JobRow; readonly known: unknown }[] {
  const due: { write: Write; job: JobRow; known: unknown }[] = []
  for (const one of writes) {
    const write = one.write === 'event' ? one.delivery : one
    if (write?.write !== 'insert' || write.table !== 'jobs') continue
    const row = write.row as unknown as JobRow
    // Times in writes are text.
    const job = { ...row, due_at: new Date(row.due_at), created_at: new Date(row.created_at) }
    if (job.due_at <= op.now) due.push({ write, job, known: write.known })
  }
  return due
}
