import type { WebhookFault } from '@countersign/contract/sandbox/faults'
import { BEYOND_CURSOR, EXCLUDED_FROM_FEED } from '../../kernel/outbox/endpoint-feed.ts'
import type { FeedPosition } from '../../kernel/ports/event-streams.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import type { Database } from '../../storage/engine/port.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import type { WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import type { SigningSecret } from '../webhooks/secrets.ts'
import type { FeedEvent, Pending } from './sending-order.ts'

/**
 * The length of a claim, which each record of progress extends. An exited process blocks its endpoints this
 * long.
 */
export const CLAIM_SECONDS = 30
/** The maximum number of endpoints per claim, so that each process gets some. */
const CLAIMED_MAX = 128

/** The columns of an endpoint that its sender needs. */
export type SendingEndpoint = Pick<
  WebhookEndpointRow,
  | 'id'
  | 'platform_id'
  | 'role'
  | 'url'
  | 'event_types'
  | 'payload'
  | 'latest_balance_only'
  | 'state'
  | 'ends_in'
  | 'events_from'
  | 'events_until'
>

/** The recent successes and failures of an endpoint. Times are by the platform's clock. */
export interface EndpointHealth {
  /** The number of failed attempts in a row. */
  readonly failures: number
  readonly failingSince: Date | undefined
  /** The time until which nothing is sent. */
  readonly retryAt: Date | undefined
  readonly lastDeliveredAt: Date | undefined
  readonly lastFailure: string | undefined
}

export interface ClaimedEndpoint {
  /** The unique id of the claim. Records of an earlier claim on the endpoint are ignored. */
  readonly claim: string
  readonly endpoint: SendingEndpoint
  readonly cursor: FeedPosition
  readonly health: EndpointHealth
}

type ClaimedRow = SendingEndpoint & {
  readonly committed_in: string
  readonly position: bigint
  readonly failures: number
  readonly failing_since: Date | null
  readonly last_failure: string | null
}

export const ENDPOINT_COLUMNS_SQL = `e.id, e.platform_id, e.role, e.url, e.event_types, e.payload, e.latest_balance_only, e.state, e.ends_in,
  e.events_from, e.events_until`
const IS_FINAL_SQL =
  'committed_in < (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + feed_base())::text::xid8'

/** True if any platform has an enabled endpoint. */
export async function isAnyEnabled(db: Database): Promise<boolean> {
  const { rows } = await db.query(
    `SELECT FROM webhook_endpoints WHERE state = 'ENABLED' AND deleted_at IS NULL LIMIT 1`,
    [],
    {
      connection: 'fast',
    },
  )
  return rows.length > 0
}

/** Ends all claims. On the embedded database, all claims belong to an exited process. */
export async function releaseEndpoints(db: Database): Promise<void> {
  await db.query(
    'UPDATE webhook_endpoints SET claimed_by = NULL, claimed_until = NULL WHERE claimed_by IS NOT NULL',
  )
}

/** Questions are also sent to an endpoint that rests. */
const CAN_SEND_SQL = `(e.retry_at IS NULL OR e.retry_at <= p.now OR EXISTS (
  SELECT FROM undelivered_events u
  WHERE u.endpoint_id = e.id AND u.due_at <= p.now AND u.is_apart AND u.attempts = 0))`

const IS_DUE_SQL =
  'EXISTS (SELECT FROM undelivered_events u WHERE u.endpoint_id = e.id AND u.due_at <= p.now)'

/** A replay that has nothing left to send, now or later, must be ended. */
const CAN_END_SQL = `e.role = 'REPLAY' AND NOT EXISTS (
  SELECT FROM undelivered_events u WHERE u.endpoint_id = e.id AND u.gave_up_at IS NULL)`

/** Open platforms with their current time. `$1` is real time. */
const OPEN_PLATFORMS_SQL = `(SELECT id, $1::timestamptz + clock_offset_ms * interval '1 millisecond' AS now
  FROM platforms WHERE closed_at IS NULL)`

const CLAIM_SQL = `
UPDATE webhook_endpoints AS e SET claimed_by = $2, claimed_until = $1::timestamptz + interval '${CLAIM_SECONDS} seconds'
WHERE e.id IN (
  SELECT e.id FROM webhook_endpoints e JOIN ${OPEN_PLATFORMS_SQL} AS p ON p.id = e.platform_id
  WHERE e.state = 'ENABLED' AND e.deleted_at IS NULL AND (e.claimed_until IS NULL OR e.claimed_until <= $1)
    AND ($4::uuid IS NULL OR e.platform_id = $4) AND ${CAN_SEND_SQL}
    AND (${IS_DUE_SQL} OR EXISTS (SELECT FROM ${BEYOND_CURSOR} AND v.${IS_FINAL_SQL}) OR ${CAN_END_SQL})
  ORDER BY e.last_delivered_at NULLS FIRST, e.id LIMIT $3 FOR UPDATE OF e SKIP LOCKED)
RETURNING ${ENDPOINT_COLUMNS_SQL}, e.committed_in, e.position, e.failures, e.failing_since, e.last_failure`

/** The endpoints to claim. `now` is real time. */
interface Claim {
  readonly claim: string
  readonly now: Date
  readonly max: number
  /** Limits the claim to the endpoints of this platform. */
  readonly platformId?: string
}

/** Claims endpoints that have something due and are not claimed by another process. */
export async function claimEndpoints(
  db: Database,
  { claim, now, max, platformId }: Claim,
): Promise<ClaimedEndpoint[]> {
  const platform = platformId === undefined ? null : extractUuid(platformId)
  const parameters = [now, claim, Math.min(max, CLAIMED_MAX), platform]
  const { rows } = await db.query<ClaimedRow>(CLAIM_SQL, parameters, { connection: 'fast' })
  return rows.map((row) => ({
    claim,
    endpoint: row,
    cursor: row,
    health: {
      failures: row.failures,
      failingSince: row.failing_since ?? undefined,
      retryAt: undefined,
      lastDeliveredAt: undefined,
      lastFailure: row.last_failure ?? undefined,
    },
  }))
}

const UNSETTLED_SQL = `
SELECT e.id FROM webhook_endpoints e JOIN ${OPEN_PLATFORMS_SQL} AS p ON p.id = e.platform_id
WHERE e.platform_id = $2 AND e.state = 'ENABLED' AND e.deleted_at IS NULL AND ${CAN_SEND_SQL}
  AND (${IS_DUE_SQL} OR EXISTS (SELECT FROM ${BEYOND_CURSOR}) OR ${CAN_END_SQL})`

/**
 * Reads the endpoints of a platform that have something to send now, including events that the feed does not
 * show yet. `now` is real time.
 */
export async function selectUnsettled(db: Database, platformId: string, now: Date): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(UNSETTLED_SQL, [now, extractUuid(platformId)], {
    connection: 'fast',
  })
  return rows.map(({ id }) => id)
}

const NEXT_DUE_SQL = `
SELECT min(t.at) AS at FROM webhook_endpoints e JOIN ${OPEN_PLATFORMS_SQL} AS p ON p.id = e.platform_id
CROSS JOIN LATERAL (
  SELECT greatest(min(u.due_at), e.retry_at) AS at FROM undelivered_events u WHERE u.endpoint_id = e.id
  UNION ALL SELECT e.retry_at WHERE EXISTS (SELECT FROM ${BEYOND_CURSOR})) AS t
WHERE e.platform_id = $2 AND e.state = 'ENABLED' AND e.deleted_at IS NULL AND t.at > p.now AND t.at <= $3`

/** Reads the time of a platform's next attempt after now and up to `until`. `now` is real time. */
export async function selectNextAttempt(
  db: Database,
  platformId: string,
  now: Date,
  until: Date,
): Promise<Date | undefined> {
  const { rows } = await db.query<{ at: Date | null }>(NEXT_DUE_SQL, [now, extractUuid(platformId), until], {
    connection: 'fast',
  })
  return rows[0]?.at ?? undefined
}

/** An event with its data, if the endpoint gets data. */
export interface SentEvent extends FeedEvent, Pick<EventRow, 'created_at'> {
  readonly sequence: number
  /** The trace of the request or job that caused it. */
  readonly traceparent: string | null
  /** Null if the endpoint gets no data. */
  readonly data: string | null
  /** The sandbox fault for its delivery. */
  readonly fault: WebhookFault | null
}

type ReadEvent = SentEvent & { readonly is_wanted: boolean }

const EVENT_COLUMNS_SQL =
  'e.id, e.type, e.object_id, e.sequence, e.created_at, e.committed_in, e.position, e.traceparent'
const DATA_SQL = 'coalesce(e.data, with_balances(r.text, e.available, e.posted))'

const NEXT_EVENTS_SQL = `
SELECT ${EVENT_COLUMNS_SQL}, w.is_wanted, CASE WHEN w.is_wanted AND $5 THEN ${DATA_SQL} END AS data, x.fault
FROM (
  SELECT *, type <> ALL ($6::text[]) AND ($4::text[] IS NULL OR type = ANY ($4))
      AND ($8::timestamptz IS NULL OR created_at BETWEEN $8 AND $9) AS is_wanted
  FROM events
  WHERE platform_id = $1 AND (committed_in, position) > ($2::text::xid8, $3::bigint) AND ${IS_FINAL_SQL}
    AND ($7::text IS NULL OR committed_in < $7::text::xid8)
  ORDER BY committed_in, position LIMIT $10) AS e
CROSS JOIN LATERAL (SELECT e.is_wanted) AS w
LEFT JOIN event_records r ON r.digest = e.record AND w.is_wanted AND $5
LEFT JOIN webhook_faults x ON x.id = e.id AND w.is_wanted
ORDER BY e.committed_in, e.position`

/** Reads the next final events in the feed. Events of unwanted types have no data. */
export async function selectNextEvents(
  db: Database,
  { platform_id, role, event_types, payload, ends_in, events_from, events_until }: SendingEndpoint,
  { committed_in, position }: FeedPosition,
  limit: number,
): Promise<ReadEvent[]> {
  const { rows } = await db.query<ReadEvent>(
    NEXT_EVENTS_SQL,
    [
      extractUuid(platform_id),
      committed_in,
      position,
      event_types,
      payload === 'FULL',
      EXCLUDED_FROM_FEED[role],
      ends_in,
      events_from,
      events_until,
      limit,
    ],
    { connection: 'fast' },
  )
  return rows
}

/** Reads events by their ids. */
export async function selectEventsById(
  db: Database,
  { platform_id, payload }: SendingEndpoint,
  ids: readonly string[],
): Promise<SentEvent[]> {
  const { rows } = await db.query<SentEvent>(
    `SELECT ${EVENT_COLUMNS_SQL}, CASE WHEN $3 THEN ${DATA_SQL} END AS data, x.fault
     FROM events e LEFT JOIN event_records r ON r.digest = e.record LEFT JOIN webhook_faults x ON x.id = e.id
     WHERE e.platform_id = $1 AND e.id = ANY ($2::uuid[])`,
    [extractUuid(platform_id), ids.map(extractUuid), payload === 'FULL'],
    { connection: 'fast' },
  )
  return rows
}

type PendingRow = FeedEvent & {
  readonly is_apart: boolean
  readonly was_received: boolean
  readonly attempts: number
  readonly last_failure: string | null
  readonly due_at: Date | null
  readonly created_at: Date
}

const PENDING_SQL = `
SELECT id, object_id, type, committed_in, position, is_apart, was_received, attempts, last_failure, due_at, created_at
FROM undelivered_events WHERE endpoint_id = $1 AND gave_up_at IS NULL`

/** Reads an endpoint's undelivered events that were not given up, in feed order. */
export async function selectPending(db: Database, { id }: SendingEndpoint): Promise<Pending<FeedEvent>[]> {
  const { rows } = await db.query<PendingRow>(
    `${PENDING_SQL} ORDER BY committed_in, position, created_at`,
    [extractUuid(id)],
    { connection: 'fast' },
  )
  return rows.map(toPending)
}

/**
 * Reads the due events that the endpoint's sender does not know yet. `knownIds` are the events that it knows.
 */
export async function selectMadeDue(
  db: Database,
  { id }: SendingEndpoint,
  knownIds: readonly string[],
): Promise<Pending<FeedEvent>[]> {
  const { rows } = await db.query<PendingRow>(
    `${PENDING_SQL} AND is_apart AND due_at IS NOT NULL AND id <> ALL ($2::uuid[]) ORDER BY created_at`,
    [extractUuid(id), knownIds.map(extractUuid)],
    { connection: 'fast' },
  )
  return rows.map(toPending)
}

function toPending({
  attempts,
  last_failure,
  due_at,
  created_at,
  is_apart,
  was_received,
  ...event
}: PendingRow): Pending<FeedEvent> {
  return {
    event,
    isOutsideFeed: is_apart,
    wasReceived: was_received,
    attempts,
    lastFailure: last_failure ?? undefined,
    failedAt: created_at,
    dueAt: due_at ?? undefined,
    gaveUpAt: undefined,
  }
}

/** Reads an endpoint's valid secrets, the current one first. `now` is the platform's time. */
export async function selectSigningSecrets(
  db: Database,
  { id, platform_id, role }: SendingEndpoint,
  now: Date,
): Promise<SigningSecret[]> {
  const { rows } = await db.query<SigningSecret>(
    `SELECT id, key_generation FROM webhook_secrets
     WHERE platform_id = $1 AND endpoint_id IS NOT DISTINCT FROM $2 AND (expires_at IS NULL OR expires_at > $3)
     ORDER BY expires_at DESC NULLS FIRST`,
    [extractUuid(platform_id), role === 'ADDED' ? extractUuid(id) : null, now],
    { connection: 'fast' },
  )
  return rows
}
