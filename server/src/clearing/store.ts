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

/**
 * What is kept for some time, with the key that begins with its time: ids are UUIDv7, so the oldest are found by the primary key. What
 * is old and still needed is at its beginning too, and there is little of it.
 */
const KEPT = {
  messages: { key: 'id', unless: "AND state <> 'QUEUED'" },
  webhook_attempts: { key: 'event_id', unless: '' },
} as const

export type KeptTable = keyof typeof KEPT

/** Deletes at most `max` of the rows from before this time, the oldest. Returns how many. */
export async function deleteOlder(
  db: Database,
  table: KeptTable,
  before: Date,
  max: number,
): Promise<number> {
  const { key, unless } = KEPT[table]
  const { affected } = await db.query(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE ${key} < $2::uuid AND created_at < $1 ${unless}
       ORDER BY ${key} LIMIT $3 FOR UPDATE SKIP LOCKED))`,
    [before, earliestUuid(before), max],
  )
  return affected
}

/** The least UUIDv7 of a moment. */
function earliestUuid(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
