import type { Op } from '../app.ts'
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
