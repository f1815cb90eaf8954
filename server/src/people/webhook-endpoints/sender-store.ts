import type { FeedPosition } from '../../kernel/ports/event-streams.ts'
import { uuidOf } from '../../storage/engine/ids.ts'
import type { Database } from '../../storage/engine/port.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import type { WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import type { SigningSecret } from '../webhooks/secrets.ts'
import type { Changes, FeedEvent, Pending } from './sending-order.ts'

/** An endpoint stays with a process that has died for this time. Each record extends the claim. */
const CLAIM_SECONDS = 30
/** A claim takes no more endpoints at a time, so that each process gets some. */
const CLAIMED_MAX = 32

/** An endpoint as the sender needs it. */
export type SendingEndpoint = Pick<
  WebhookEndpointRow,
  'id' | 'platform_id' | 'url' | 'event_types' | 'payload' | 'latest_balance_only' | 'state'
>

/** The course of the attempts, by the clock of the platform. */
export interface Course {
  /** Attempts in a row without success. */
  readonly failures: number
  readonly failingSince: Date | undefined
  /** Nothing is sent before this time. */
  readonly retryAt: Date | undefined
  readonly lastDeliveredAt: Date | undefined
  readonly lastFailure: string | undefined
}

export interface Claimed {
  readonly endpoint: SendingEndpoint
  readonly cursor: FeedPosition
  readonly course: Course
}

type ClaimedRow = SendingEndpoint & {
  readonly committed_in: string
  readonly position: bigint
  readonly failures: number
  readonly failing_since: Date | null
  readonly last_failure: string | null
}

const SENDING = 'e.id, e.platform_id, e.url, e.event_types, e.payload, e.latest_balance_only, e.state'
const IS_FINAL =
  'committed_in < (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + feed_base())::text::xid8'
const UNTIL = `$2::timestamptz + interval '${CLAIM_SECONDS} seconds'`

/** True if a platform has an enabled endpoint. */
export async function isAnyEnabled(db: Database): Promise<boolean> {
  const { rows } = await db.query(
    `SELECT FROM webhook_endpoints WHERE state = 'ENABLED' AND deleted_at IS NULL LIMIT 1`,
    [],
    {
      isBrief: true,
    },
  )
  return rows.length > 0
}

/** Ends all claims. On the embedded database a process that has ended made them. */
export async function releaseEndpoints(db: Database): Promise<void> {
  await db.query(
    'UPDATE webhook_endpoints SET claimed_by = NULL, claimed_until = NULL WHERE claimed_by IS NOT NULL',
  )
}

const CLAIM = `
UPDATE webhook_endpoints AS e SET claimed_by = $1, claimed_until = ${UNTIL}
WHERE e.id IN (
  SELECT e.id FROM webhook_endpoints e
  JOIN (SELECT id, $2::timestamptz + clock_offset_ms * interval '1 millisecond' AS now
        FROM platforms WHERE closed_at IS NULL) AS p ON p.id = e.platform_id
  WHERE e.state = 'ENABLED' AND e.deleted_at IS NULL AND (e.claimed_until IS NULL OR e.claimed_until <= $2)
    AND (e.retry_at IS NULL OR e.retry_at <= p.now)
    AND (EXISTS (SELECT FROM webhook_failures f WHERE f.endpoint_id = e.id AND f.due_at <= p.now)
      OR EXISTS (
        SELECT FROM events v WHERE v.platform_id = e.platform_id
        AND (v.committed_in, v.position) > (e.committed_in, e.position) AND v.${IS_FINAL}))
  ORDER BY e.last_delivered_at NULLS FIRST, e.id LIMIT $3 FOR UPDATE OF e SKIP LOCKED)
RETURNING ${SENDING}, e.committed_in, e.position, e.failures, e.failing_since, e.last_failure`

/** Claims endpoints for which something is due and which no other process sends to, at most `max`. `now` is real time. */
export async function claimEndpoints(
  db: Database,
  claimant: string,
  now: Date,
  max: number,
): Promise<Claimed[]> {
  const parameters = [claimant, now, Math.min(max, CLAIMED_MAX)]
  const { rows } = await db.query<ClaimedRow>(CLAIM, parameters, { isBrief: true })
  return rows.map((row) => ({
    endpoint: row,
    cursor: row,
    course: {
      failures: row.failures,
      failingSince: row.failing_since ?? undefined,
      retryAt: undefined,
      lastDeliveredAt: undefined,
      lastFailure: row.last_failure ?? undefined,
    },
  }))
}

/** An event with its text, if the endpoint gets it. */
export interface SentEvent extends FeedEvent, Pick<EventRow, 'sequence' | 'created_at'> {
  /** Null: the endpoint gets no data. */
  readonly data: string | null
}

type ReadEvent = SentEvent & { readonly is_wanted: boolean }

const EVENT = 'e.id, e.type, e.object_id, e.sequence, e.created_at, e.committed_in, e.position'
const DATA = 'coalesce(e.data, with_balances(r.text, e.available, e.posted))'

/** A TEST is for the endpoint that it tests. */
const NEXT = `
SELECT ${EVENT}, w.is_wanted, CASE WHEN w.is_wanted AND $5 THEN ${DATA} END AS data
FROM (
  SELECT *, type <> 'TEST' AND ($4::text[] IS NULL OR type = ANY ($4)) AS is_wanted FROM events
  WHERE platform_id = $1 AND (committed_in, position) > ($2::text::xid8, $3::bigint) AND ${IS_FINAL}
  ORDER BY committed_in, position LIMIT $6) AS e
CROSS JOIN LATERAL (SELECT e.is_wanted) AS w
LEFT JOIN event_records r ON r.digest = e.record AND w.is_wanted AND $5
ORDER BY e.committed_in, e.position`

/** The next final events of the feed. Those that the endpoint does not get are without data. */
export async function selectNext(
  db: Database,
  { platform_id, event_types, payload }: SendingEndpoint,
  { committed_in, position }: FeedPosition,
  limit: number,
): Promise<ReadEvent[]> {
  const { rows } = await db.query<ReadEvent>(
    NEXT,
    [uuidOf(platform_id), committed_in, position, event_types, payload === 'FULL', limit],
    { isBrief: true },
  )
  return rows
}

/** Reads events by their ids. */
export async function selectSent(
  db: Database,
  { platform_id, payload }: SendingEndpoint,
  ids: readonly string[],
): Promise<SentEvent[]> {
  const { rows } = await db.query<SentEvent>(
    `SELECT ${EVENT}, CASE WHEN $3 THEN ${DATA} END AS data
     FROM events e LEFT JOIN event_records r ON r.digest = e.record
     WHERE e.platform_id = $1 AND e.id = ANY ($2::uuid[])`,
    [uuidOf(platform_id), ids.map(uuidOf), payload === 'FULL'],
    { isBrief: true },
  )
  return rows
}

type FailureRow = FeedEvent & {
  readonly attempts: number
  readonly last_failure: string | null
  readonly due_at: Date | null
  readonly created_at: Date
}

/** Reads the failures of an endpoint that were not given up, in the order of the feed. */
export async function selectPending(db: Database, { id }: SendingEndpoint): Promise<Pending<FeedEvent>[]> {
  const { rows } = await db.query<FailureRow>(
    `SELECT event_id AS id, object_id, type, committed_in, position, attempts, last_failure, due_at, created_at
     FROM webhook_failures WHERE endpoint_id = $1 AND gave_up_at IS NULL ORDER BY committed_in, position`,
    [uuidOf(id)],
    { isBrief: true },
  )
  return rows.map(({ attempts, last_failure, due_at, created_at, ...event }) => ({
    event,
    attempts,
    lastFailure: last_failure ?? undefined,
    failedAt: created_at,
    dueAt: due_at ?? undefined,
    gaveUpAt: undefined,
  }))
}

const RECORD = `
WITH moved AS (
  UPDATE webhook_endpoints AS e SET committed_in = $4::text::xid8, position = $5,
    claimed_by = CASE WHEN $6 THEN NULL ELSE $3 END, claimed_until = CASE WHEN $6 THEN NULL ELSE ${UNTIL} END,
    failures = $7, failing_since = $8, retry_at = $9,
    last_delivered_at = coalesce($10, last_delivered_at), last_failure = $11
  WHERE e.id = $1 AND e.claimed_by = $3 RETURNING ${SENDING}),
noted AS (
  INSERT INTO webhook_failures AS f (endpoint_id, platform_id, event_id, object_id, type, committed_in, position, attempts,
    last_failure, due_at, gave_up_at, created_at)
  SELECT moved.id, moved.platform_id, n.event_id, n.object_id, n.type, n.committed_in::xid8, n.position, n.attempts,
    n.last_failure, n.due_at, n.gave_up_at, coalesce(n.failed_at, $12)
  FROM moved, unnest($13::uuid[], $14::uuid[], $15::text[], $16::text[], $17::bigint[], $18::integer[], $19::text[],
    $20::timestamptz[], $21::timestamptz[], $22::timestamptz[])
    AS n (event_id, object_id, type, committed_in, position, attempts, last_failure, due_at, gave_up_at, failed_at)
  ON CONFLICT (event_id, endpoint_id) DO UPDATE SET attempts = excluded.attempts, last_failure = excluded.last_failure,
    due_at = excluded.due_at, gave_up_at = excluded.gave_up_at),
received AS (
  DELETE FROM webhook_failures WHERE endpoint_id = $1 AND event_id = ANY ($23::uuid[]) AND EXISTS (SELECT FROM moved))
SELECT * FROM moved`

/** The progress of one process at an endpoint since its last record. */
export interface Progress {
  readonly changes: Changes<FeedEvent>
  readonly course: Course
  /** True if the process leaves the endpoint to others. */
  readonly isOver: boolean
}

/**
 * Records the progress in one statement. Returns the endpoint as it is now; undefined if it was deleted, or is no longer this
 * process's. Then nothing was recorded.
 */
export async function recordProgress(
  db: Database,
  { id }: SendingEndpoint,
  claimant: string,
  { changes, course, isOver }: Progress,
  times: { readonly real: Date; readonly platform: Date },
): Promise<SendingEndpoint | undefined> {
  const { cursor, noted, received } = changes
  const column = <T>(value: (one: Pending<FeedEvent>) => T) => noted.map(value)
  const { rows } = await db.query<SendingEndpoint>(
    RECORD,
    [
      uuidOf(id),
      times.real,
      claimant,
      cursor.committed_in,
      cursor.position,
      isOver,
      course.failures,
      course.failingSince ?? null,
      course.retryAt ?? null,
      course.lastDeliveredAt ?? null,
      course.lastFailure ?? null,
      times.platform,
      column(({ event }) => uuidOf(event.id)),
      column(({ event }) => uuidOf(event.object_id)),
      column(({ event }) => event.type),
      column(({ event }) => event.committed_in),
      column(({ event }) => event.position),
      column(({ attempts }) => attempts),
      column(({ lastFailure }) => lastFailure ?? null),
      column(({ dueAt }) => dueAt ?? null),
      column(({ gaveUpAt }) => gaveUpAt ?? null),
      column(({ failedAt }) => failedAt ?? null),
      received.map(uuidOf),
    ],
    { isBrief: true },
  )
  return rows[0]
}

/** The valid secrets of an endpoint, the current one first. `now` is the platform's time. */
export async function selectSecretsOf(
  db: Database,
  { id }: SendingEndpoint,
  now: Date,
): Promise<SigningSecret[]> {
  const { rows } = await db.query<SigningSecret>(
    `SELECT id, key_generation FROM webhook_secrets
     WHERE endpoint_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY expires_at DESC NULLS FIRST`,
    [uuidOf(id), now],
    { isBrief: true },
  )
  return rows
}
