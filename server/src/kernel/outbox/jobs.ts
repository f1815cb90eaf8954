import { type InsertWrite, insert, type Write } from '../../storage/commit/writes.ts'
import type { JobKind, JobPayloads } from '../../storage/rows/job.ts'
import type { NewJob } from '../../storage/rows/new-job.ts'
import type { Op } from '../operation/app.ts'
import type { Tracing } from '../ports/tracing.ts'

/**
 * Creates a job that falls due at `dueAt` by the platform's clock. It runs at least once and takes effect
 * exactly once.
 */
export function job<Kind extends JobKind>(
  op: Pick<Op, 'now' | 'platform' | 'newId'> & Partial<Pick<Op, 'tracing'>>,
  kind: Kind,
  payload: JobPayloads[Kind],
  dueAt: Date,
): InsertWrite {
  const row = {
    id: op.newId('Job'),
    platform_id: op.platform.id,
    kind,
    payload: op.tracing ? addTrace(payload, op.tracing) : payload,
    due_at: dueAt,
    attempts: 0,
    claimed_until: null,
    last_error: null,
    created_at: op.now,
  }
  const due: NewJob<Kind> = row
  return { ...insert('jobs', row), due }
}

/** Adds the current trace to a job's payload. A postponed or woken job keeps its own trace. */
function addTrace<Payload extends object>(payload: Payload, tracing: Tracing): Payload {
  return 'traceparent' in payload ? payload : { ...payload, ...tracing.context() }
}

/** The jobs among an operation's writes that are due immediately. */
export function dueNow(
  op: Pick<Op, 'now'>,
  writes: readonly Write[],
): readonly { readonly write: Write; readonly job: NewJob }[] {
  const due: { write: Write; job: NewJob }[] = []
  for (const write of writes) {
    if (write.write === 'insert' && write.due && write.due.due_at <= op.now)
      due.push({ write, job: write.due })
  }
  return due
}
