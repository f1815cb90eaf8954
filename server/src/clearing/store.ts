import type { Database } from '../db/engine/port.ts'

/** The tables whose rows are removed once `expires_at` has come, by real time. */
export const EXPIRING = [
  'idempotency_keys',
  'customer_tokens',
  'logged_requests',
  'member_sessions',
  'member_links',
  'request_counts',
] as const

export type ExpiringTable = (typeof EXPIRING)[number]

/** Removes at most `max` of the rows that have expired. Returns how many. */
export async function deleteExpired(
  db: Database,
  table: ExpiringTable,
  now: Date,
  max: number,
): Promise<number> {
  const { affected } = await db.query(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    [now, max],
  )
  return affected
}
