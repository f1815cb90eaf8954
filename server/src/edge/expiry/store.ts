import type { RetentionKind } from '../../base/settings/retention.ts'
import type { Database } from '../../storage/engine/port.ts'
import { getOnlyRow } from '../../storage/engine/port.ts'
import { toLowestUuidAt } from '../../storage/schema/months.ts'

/** Tables whose rows are removed after `expires_at`, in real time. */
export const EXPIRING = [
  'idempotency_keys',
  'customer_tokens',
  'logged_requests',
  'used_id_tokens',
  'member_sessions',
  'member_links',
  'request_counts',
] as const

export type ExpiringTable = (typeof EXPIRING)[number]

/** Removes at most `max` expired rows and returns their number. */
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

interface RetainedTable {
  readonly kind: RetentionKind
  /**
   * The columns of the primary key. The first one starts with a time, because ids are UUIDv7, so old rows
   * come first.
   */
  readonly key: readonly string[]
  /** The condition for old rows that must stay. */
  readonly unless?: string
}

/** Tables whose old rows are deleted, in this order: messages before the codes they refer to. */
export const RETAINED_TABLES = {
  messages: { kind: 'messages', key: ['id'], unless: "state = 'QUEUED'" },
  otp_challenges: {
    kind: 'messages',
    key: ['id'],
    unless: 'EXISTS (SELECT FROM messages WHERE challenge_id = old.id)',
  },
  webhook_attempts: { kind: 'webhookAttempts', key: ['event_id', 'attempt'] },
  webhook_receipts: { kind: 'webhookAttempts', key: ['id'] },
  undelivered_events: {
    kind: 'webhookAttempts',
    key: ['id', 'endpoint_id'],
    // For the configured endpoint, these rows record the events whose delivery was given up.
    unless: `EXISTS (SELECT FROM webhook_endpoints WHERE id = old.endpoint_id
      AND (role = 'CONFIGURED' OR (old.gave_up_at IS NULL AND deleted_at IS NULL)))`,
  },
  signing_requests: {
    kind: 'unsignedRequests',
    key: ['id'],
    unless: 'consumed_at IS NOT NULL OR EXISTS (SELECT FROM quotes WHERE signing_request_id = old.id)',
  },
  agent_decisions: { kind: 'deniedDecisions', key: ['id'], unless: 'action_id IS NOT NULL' },
} as const satisfies Record<string, RetainedTable>

export type KeptTable = keyof typeof RETAINED_TABLES

/**
 * Deletes at most `max` payments counted for velocity limits before this time, with the counters of their day
 * and month. Returns the number of payments.
 */
export async function deleteCounted(db: Database, before: Date, max: number): Promise<number> {
  const { affected } = await db.query(
    `WITH old AS (
       SELECT transaction_id, platform_id, subject, subject_digest, currency, day, month FROM velocity_uses
       WHERE transaction_id < $1::uuid AND created_at < $2 ORDER BY transaction_id, subject LIMIT $3),
     sums AS (
       DELETE FROM velocity_counters AS c USING old WHERE c.platform_id = old.platform_id AND c.subject = old.subject
         AND c.subject_digest = old.subject_digest AND c.currency = old.currency AND c.period IN (old.day, old.month))
     DELETE FROM velocity_uses AS u USING old WHERE u.transaction_id = old.transaction_id AND u.subject = old.subject`,
    [toLowestUuidAt(before), before, max],
  )
  return affected
}

/** The result of one scan through the old rows of a table. */
export interface Step {
  readonly removed: number
  /** The key of the last scanned row. Undefined once all are scanned. */
  readonly last: readonly string[] | undefined
}

/** Scans the next `max` rows older than this time and deletes those that need not stay. */
export async function deleteOlder(
  db: Database,
  table: KeptTable,
  before: Date,
  after: readonly string[] | undefined,
  max: number,
): Promise<Step> {
  const { key, unless }: RetainedTable = RETAINED_TABLES[table]
  const columns = key.join(', ')
  const qualifiedKey = (alias: string) => key.map((column) => `${alias}.${column}`).join(', ')
  const cursor = key.map(
    (column, index) => `$${index + 3}::text::${column === 'attempt' ? 'integer' : 'uuid'}`,
  )
  const { rows } = await db.query<{ looked: bigint; removed: bigint; last: string[] | null }>(
    `WITH looked AS (
       SELECT ${columns} FROM ${table} WHERE ${key[0]} < $1::uuid ${after ? `AND (${columns}) > (${cursor.join(', ')})` : ''}
       ORDER BY ${columns} LIMIT $2),
     removed AS (
       DELETE FROM ${table} AS old USING looked WHERE (${qualifiedKey('old')}) = (${qualifiedKey('looked')}) ${unless ? `AND NOT (${unless})` : ''}
       RETURNING 1)
     SELECT (SELECT count(*) FROM looked) AS looked, (SELECT count(*) FROM removed) AS removed,
       (SELECT ARRAY[${key.map((column) => `${column}::text`).join(', ')}] FROM looked
        ORDER BY ${key.map((column) => `${column} DESC`).join(', ')} LIMIT 1) AS last`,
    [toLowestUuidAt(before), max, ...(after ?? [])],
  )
  const { looked, removed, last } = getOnlyRow(rows)
  return { removed: Number(removed), last: last && Number(looked) === max ? last : undefined }
}
