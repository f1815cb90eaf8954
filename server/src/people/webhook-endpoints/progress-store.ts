import type { FeedPosition } from '../../kernel/ports/event-streams.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import type { Database } from '../../storage/engine/port.ts'
import {
  CLAIM_SECONDS,
  type ClaimedEndpoint,
  ENDPOINT_COLUMNS_SQL,
  type EndpointHealth,
  type SendingEndpoint,
} from './sender-store.ts'
import type { Changes, FeedEvent, Pending } from './sending-order.ts'

/** An attempt recorded in a separate row. */
export interface RecordedAttempt {
  readonly eventId: string
  readonly url: string
  readonly status: number | null
  readonly error: string | null
  readonly answer: string | null
  readonly durationMs: number
  readonly startedAt: Date
}

/** An event received at its first attempt. */
export interface Receipt {
  readonly event: FeedEvent
  readonly status: number
  readonly durationMs: number
  readonly startedAt: Date
}

/** The progress that one process has made at an endpoint since the last record. */
export interface Progress {
  readonly changes: Changes<FeedEvent>
  readonly health: EndpointHealth
  readonly attempts: readonly RecordedAttempt[]
  readonly receipts: readonly Receipt[]
  /** The id of the row for the receipts. */
  readonly receiptId: string
  /** Events whose sandbox fault was applied. */
  readonly faults: readonly string[]
  /** True if the process releases the endpoint. */
  readonly isOver: boolean
  /** True if every event that was read has been sent. */
  readonly isIdle: boolean
}

/**
 * A replay ends once every event of its period is final and was sent; this cannot change later. It is a
 * separate statement, because Citus would evaluate the snapshot of an update on another node.
 */
const IS_REPLAYED_SQL = `
  SELECT FROM webhook_endpoints AS e WHERE e.id = $1
  AND e.ends_in <= (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + feed_base())::text::xid8
  AND NOT EXISTS (SELECT FROM events v WHERE v.platform_id = e.platform_id
    AND (v.committed_in, v.position) > ($2::text::xid8, $3::bigint) AND v.committed_in < e.ends_in)`

const MOVE_CURSOR_SQL = `
  UPDATE webhook_endpoints AS e SET committed_in = $4::text::xid8, position = $5,
    claimed_by = CASE WHEN $6 THEN NULL ELSE $3 END,
    claimed_until = CASE WHEN $6 THEN NULL ELSE $2::timestamptz END,
    failures = $7, failing_since = $8, retry_at = $9,
    last_delivered_at = coalesce($10, last_delivered_at), last_failure = $11,
    deleted_at = CASE WHEN $12 THEN $13::timestamptz ELSE deleted_at END
  WHERE e.id = $1 AND e.claimed_by = $3 RETURNING ${ENDPOINT_COLUMNS_SQL}`

const NOTE_FAILURES_SQL = `
  INSERT INTO undelivered_events AS u (endpoint_id, platform_id, id, object_id, type, is_apart, was_received, committed_in,
    position, attempts, last_failure, due_at, gave_up_at, created_at)
  SELECT moved.id, moved.platform_id, n.id, n.object_id, n.type, n.is_apart, n.was_received, n.committed_in::xid8,
    n.position, n.attempts, n.last_failure, n.due_at, n.gave_up_at, coalesce(n.failed_at, $13)
  FROM moved, unnest($14::uuid[], $15::uuid[], $16::text[], $17::boolean[], $18::boolean[], $19::text[], $20::bigint[],
    $21::integer[], $22::text[], $23::timestamptz[], $24::timestamptz[], $25::timestamptz[])
    AS n (id, object_id, type, is_apart, was_received, committed_in, position, attempts, last_failure, due_at, gave_up_at,
      failed_at)
  ON CONFLICT (id, endpoint_id) DO UPDATE SET attempts = excluded.attempts, last_failure = excluded.last_failure,
    due_at = excluded.due_at, gave_up_at = excluded.gave_up_at, is_apart = excluded.is_apart`

/** Continues the attempt numbers of each event. */
const RECORD_ATTEMPTS_SQL = `
  INSERT INTO webhook_attempts (event_id, attempt, platform_id, url, status, error, answer, duration_ms, created_at)
  SELECT a.event_id, row_number() OVER (PARTITION BY a.event_id ORDER BY a.number)
      + coalesce((SELECT max(attempt) FROM webhook_attempts AS t WHERE t.event_id = a.event_id), 0),
    moved.platform_id, a.url, a.status, a.error, a.answer, a.duration_ms, a.started_at
  FROM moved, unnest($27::uuid[], $28::text[], $29::integer[], $30::text[], $31::text[], $32::integer[], $33::timestamptz[])
    WITH ORDINALITY AS a (event_id, url, status, error, answer, duration_ms, started_at, number)`

const RECORD_RECEIPTS_SQL = `
  INSERT INTO webhook_receipts (id, platform_id, url, first_committed_in, first_position, last_committed_in, last_position,
    event_ids, statuses, durations_ms, started_at)
  SELECT $34, moved.platform_id, moved.url, $35::text::xid8, $36, $37::text::xid8, $38, $39, $40, $41, $42
  FROM moved WHERE cardinality($39::uuid[]) > 0`

const RECORD_PROGRESS_SQL = `
WITH moved AS (${MOVE_CURSOR_SQL}), noted AS (${NOTE_FAILURES_SQL}), attempted AS (${RECORD_ATTEMPTS_SQL}), at_once AS (${RECORD_RECEIPTS_SQL}),
received AS (
  DELETE FROM undelivered_events WHERE endpoint_id = $1 AND id = ANY ($26::uuid[]) AND EXISTS (SELECT FROM moved)),
happened AS (
  DELETE FROM webhook_faults WHERE id = ANY ($43::uuid[]) AND EXISTS (SELECT FROM moved))
SELECT * FROM moved`

/**
 * Records the progress in one statement, and ends a finished replay. Returns the current row of the endpoint.
 * Records nothing and returns undefined if the endpoint was deleted or another process has claimed it.
 */
export async function recordProgress(
  db: Database,
  {
    claim,
    endpoint,
  }: Pick<ClaimedEndpoint, 'claim'> & { readonly endpoint: Pick<SendingEndpoint, 'id' | 'role'> },
  progress: Progress,
  times: { readonly real: Date; readonly platform: Date },
): Promise<SendingEndpoint | undefined> {
  const { health, isOver, isIdle, changes } = progress
  const mayEnd = endpoint.role === 'REPLAY' && isOver && isIdle
  const { rows } = await db.query<SendingEndpoint>(
    RECORD_PROGRESS_SQL,
    [
      extractUuid(endpoint.id),
      new Date(times.real.getTime() + CLAIM_SECONDS * 1_000),
      claim,
      changes.cursor.committed_in,
      changes.cursor.position,
      isOver,
      health.failures,
      health.failingSince ?? null,
      health.retryAt ?? null,
      health.lastDeliveredAt ?? null,
      health.lastFailure ?? null,
      mayEnd && (await isReplayed(db, endpoint.id, changes.cursor)),
      times.platform,
      ...toUndeliveredColumns(changes),
      ...toAttemptColumns(progress.attempts),
      extractUuid(progress.receiptId),
      ...toReceiptColumns(progress.receipts),
      progress.faults.map(extractUuid),
    ],
    { connection: 'fast' },
  )
  return rows[0]
}

async function isReplayed(db: Database, endpointId: string, cursor: FeedPosition): Promise<boolean> {
  const { rows } = await db.query(IS_REPLAYED_SQL, [
    extractUuid(endpointId),
    cursor.committed_in,
    cursor.position,
  ])
  return rows.length > 0
}

/** Builds the parameters `$14` to `$26`. */
function toUndeliveredColumns({ noted, received }: Changes<FeedEvent>) {
  const column = <T>(read: (pending: Pending<FeedEvent>) => T) => noted.map(read)
  return [
    column(({ event }) => extractUuid(event.id)),
    column(({ event }) => extractUuid(event.object_id)),
    column(({ event }) => event.type),
    column(({ isOutsideFeed }) => isOutsideFeed),
    column(({ wasReceived }) => wasReceived),
    column(({ event, isOutsideFeed }) => (isOutsideFeed ? '0' : event.committed_in)),
    column(({ event, isOutsideFeed }) => (isOutsideFeed ? 0n : event.position)),
    column(({ attempts }) => attempts),
    column(({ lastFailure }) => lastFailure ?? null),
    column(({ dueAt }) => dueAt ?? null),
    column(({ gaveUpAt }) => gaveUpAt ?? null),
    column(({ failedAt }) => failedAt ?? null),
    received.map(extractUuid),
  ]
}

/** Builds the parameters `$27` to `$33`. */
function toAttemptColumns(attempts: readonly RecordedAttempt[]) {
  return [
    attempts.map(({ eventId }) => extractUuid(eventId)),
    attempts.map(({ url }) => url),
    attempts.map(({ status }) => status),
    attempts.map(({ error }) => error),
    attempts.map(({ answer }) => answer),
    attempts.map(({ durationMs }) => durationMs),
    attempts.map(({ startedAt }) => startedAt),
  ]
}

/** Builds the parameters `$35` to `$42`. */
function toReceiptColumns(receipts: readonly Receipt[]) {
  const { first, last } = findSpan(receipts)
  return [
    first.committed_in,
    first.position,
    last.committed_in,
    last.position,
    receipts.map(({ event }) => extractUuid(event.id)),
    receipts.map(({ status }) => status),
    receipts.map(({ durationMs }) => durationMs),
    receipts.map(({ startedAt }) => startedAt),
  ]
}

const NO_POSITION: FeedPosition = { committed_in: '0', position: 0n }

function findSpan(receipts: readonly Receipt[]): {
  readonly first: FeedPosition
  readonly last: FeedPosition
} {
  const positions = receipts.map(({ event }) => event).sort(compareFeedOrder)
  return { first: positions[0] ?? NO_POSITION, last: positions.at(-1) ?? NO_POSITION }
}

function compareFeedOrder(left: FeedPosition, right: FeedPosition): number {
  const [a, b] = [BigInt(left.committed_in), BigInt(right.committed_in)]
  if (a !== b) return a < b ? -1 : 1
  return left.position < right.position ? -1 : 1
}
