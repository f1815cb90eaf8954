import type { EventType } from '@countersign/contract/events/events'
import type { DELIVERY_STATUSES } from '@countersign/contract/events/webhooks'
import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import type { FeedPosition } from '../../kernel/ports/event-streams.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import type { Database } from '../../storage/engine/port.ts'
import { getOnlyRow } from '../../storage/engine/port.ts'
import type { Read } from '../../storage/read/read.ts'
import { whenGiven, whereIfDefined } from '../../storage/read/where-given.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import type { WebhookAttemptRow, WebhookSecretRow } from '../../storage/rows/tables.ts'
import type { UndeliveredEventRow } from '../../storage/rows/webhook-endpoint.ts'
import { deliveryStatus, selectBeyondCursor, selectUndelivered } from './delivery-status.ts'

type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export interface EventFilters {
  readonly type?: EventType
  readonly objectId?: string
  readonly startDate?: Date
  readonly endDate?: Date
  readonly after?: FeedPosition
  readonly types?: readonly EventType[]
  readonly deliveryStatus?: DeliveryStatus
}

/** An event with the status of its delivery to the `webhookEndpoint` of the configuration. */
export type EventWithDelivery = EventRow & { readonly status: DeliveryStatus }

/** The data of an event, as it was or will be sent. */
const dataOfEvent = sql<string>`coalesce(events.data,
  with_balances(event_records.text, events.available, events.posted))`

/** A reader of one platform's feed. */
export interface FeedReader {
  readonly read: Read
  readonly platform: { readonly id: string }
}

function selectWithDelivery(op: FeedReader) {
  return op.read
    .selectFrom('events')
    .leftJoin('event_records', 'event_records.digest', 'events.record')
    .where('events.platform_id', '=', op.platform.id)
    .select([
      'events.id',
      'events.position',
      'events.platform_id',
      'events.type',
      'events.object_id',
      'events.sequence',
      'events.created_at',
      'events.committed_in',
      dataOfEvent.as('data'),
    ])
    .select(deliveryStatus.as('status'))
}

/**
 * Matches final events: no new event can appear before them. Events of transactions that are still open come
 * later, by `committed_in`.
 */
const IS_FINAL_SQL = sql<boolean>`events.committed_in
  < (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + feed_base())::text::xid8`

function isAfterEvent({ committed_in, position }: FeedPosition) {
  return sql<boolean>`(events.committed_in, events.position) > (${committed_in}, ${position})`
}

/**
 * Filters by status. The status expression alone would be correct; the condition before it uses an index and
 * excludes most events.
 */
function hasStatus({ platform }: FeedReader, status: DeliveryStatus) {
  const id = extractUuid(platform.id)
  const is = sql<boolean>`${deliveryStatus} = ${status}`
  if (status === 'FAILED') return sql<boolean>`events.id IN ${selectUndelivered(id, 'IS NOT NULL')} AND ${is}`
  if (status !== 'PENDING') return is
  return sql<boolean>`events.id IN (${selectUndelivered(id, 'IS NULL')} UNION ALL ${selectBeyondCursor(id)}) AND ${is}`
}

/** Counts the events that a replay sends. */
export async function countEvents(op: Op, filters: EventFilters): Promise<number> {
  const { count } = await selectCommitted(op, filters)
    .clearSelect()
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Reads the first final events after a position, in feed order. */
export async function selectEventsAfter(
  reader: FeedReader,
  after: FeedPosition,
  limit: number,
): Promise<EventWithDelivery[]> {
  return selectWithDelivery(reader)
    .where(IS_FINAL_SQL)
    .where(isAfterEvent(after))
    .orderBy('events.committed_in')
    .orderBy('events.position')
    .limit(limit)
    .execute()
}

/** The maximum number of events that one search for the latest events reads. */
const PASSED_MAX = 20_000

/** Reads the latest event of each type among the next final events after a position, in feed order. */
export async function selectLatestAfter(
  reader: FeedReader,
  after: FeedPosition,
): Promise<EventWithDelivery[]> {
  const next = reader.read
    .selectFrom('events')
    .select(['id', 'type', 'committed_in', 'position'])
    .where('platform_id', '=', reader.platform.id)
    .where(IS_FINAL_SQL)
    .where(isAfterEvent(after))
    .orderBy('committed_in')
    .orderBy('position')
    .limit(PASSED_MAX)
  return selectWithDelivery(reader)
    .where('events.id', 'in', (eb) =>
      eb
        .selectFrom(next.as('next'))
        .distinctOn('type')
        .select('id')
        .orderBy('type')
        .orderBy('committed_in', 'desc')
        .orderBy('position', 'desc'),
    )
    .orderBy('events.committed_in')
    .orderBy('events.position')
    .execute()
}

/** Reads the newest final event, if any. */
export async function selectNewestEvent({
  read,
  platform,
}: FeedReader): Promise<(FeedPosition & { readonly id: string }) | undefined> {
  return read
    .selectFrom('events')
    .select(['id', 'committed_in', 'position'])
    .where('platform_id', '=', platform.id)
    .where(IS_FINAL_SQL)
    .orderBy('committed_in', 'desc')
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Selects the matching final events. */
export function selectEvents(op: Op, filters: EventFilters) {
  return selectCommitted(op, filters).where(IS_FINAL_SQL)
}

/**
 * Selects matching events, including those that the feed does not show yet. Events committed later may come
 * before those; they are delivered separately, so a replay can skip them.
 */
function selectCommitted(op: Op, filters: EventFilters) {
  const { type, types, objectId, startDate, endDate, after } = filters
  return selectWithDelivery(op)
    .$call((q) => whereIfDefined(q, 'events.type', '=', type))
    .$call((q) => whereIfDefined(q, 'events.type', 'in', types))
    .$call((q) => whenGiven(q, filters.deliveryStatus, (query, status) => query.where(hasStatus(op, status))))
    .$call((q) => whereIfDefined(q, 'events.object_id', '=', objectId))
    .$call((q) => whereIfDefined(q, 'events.created_at', '>=', startDate))
    .$call((q) => whereIfDefined(q, 'events.created_at', '<=', endDate))
    .$call((q) => (after === undefined ? q : q.where(isAfterEvent(after))))
}

export async function selectEvent(op: Op, id: string): Promise<EventWithDelivery | undefined> {
  return selectWithDelivery(op).where('events.id', '=', id).executeTakeFirst()
}

/** Reads the latest attempts at an event, latest first. */
export async function selectAttempts(op: Op, eventId: string, limit: number): Promise<WebhookAttemptRow[]> {
  return op.read
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('event_id', '=', eventId)
    .where('platform_id', '=', op.platform.id)
    .orderBy('attempt', 'desc')
    .limit(limit)
    .execute()
}

/** Reads the attempts at an event from receipts, earliest first. */
export async function selectReceipts(op: Op, event: EventRow): Promise<ReceiptAttempt[]> {
  const { rows } = await op.db.query<ReceiptAttempt>(RECEIPTS_SQL, [
    extractUuid(op.platform.id),
    event.committed_in,
    event.position,
    extractUuid(event.id),
  ])
  return rows
}

/** An attempt from a receipt, which records several events together. */
export type ReceiptAttempt = Pick<WebhookAttemptRow, 'url' | 'duration_ms' | 'created_at'> & {
  readonly status: number
}

/**
 * The maximum number of rows between the position of an event and the last position of the receipt that
 * contains it.
 */
const RECEIPTS_MAX = 1_100

const RECEIPTS_SQL = `
SELECT r.url, r.statuses[n.at] AS status, r.durations_ms[n.at] AS duration_ms, r.started_at[n.at] AS created_at
FROM (
  SELECT * FROM webhook_receipts
  WHERE platform_id = $1 AND (last_committed_in, last_position) >= ($2::text::xid8, $3::bigint)
  ORDER BY last_committed_in, last_position LIMIT ${RECEIPTS_MAX}) AS r
CROSS JOIN LATERAL (SELECT array_position(r.event_ids, $4::uuid) AS at) AS n
WHERE (r.first_committed_in, r.first_position) <= ($2::text::xid8, $3::bigint) AND n.at IS NOT NULL
ORDER BY created_at`

/** Reads the row of an event that an endpoint has not received, or that was given up. */
export async function selectUndeliveredEvent(
  op: Op,
  endpointId: string,
  eventId: string,
): Promise<UndeliveredEventRow | undefined> {
  return op.read
    .selectFrom('undelivered_events')
    .selectAll()
    .where('id', '=', eventId)
    .where('endpoint_id', '=', endpointId)
    .executeTakeFirst()
}

/** Reads the earliest time of the next attempt at an event; undefined if none is due. */
export async function selectNextAttemptAt(op: Op, eventId: string): Promise<Date | undefined> {
  const { rows } = await op.db.query<{ at: Date | null }>(
    `SELECT min(greatest(u.due_at, e.retry_at)) AS at
     FROM undelivered_events u JOIN webhook_endpoints e ON e.id = u.endpoint_id
     WHERE u.id = $2 AND u.due_at IS NOT NULL AND e.platform_id = $1 AND e.role <> 'ADDED' AND e.deleted_at IS NULL`,
    [extractUuid(op.platform.id), extractUuid(eventId)],
  )
  return rows[0]?.at ?? undefined
}

/** Reads the valid secrets of an endpoint. The current one comes first, because it has no expiry. */
export async function selectValidSecrets(op: Op, endpointId: string | null): Promise<WebhookSecretRow[]> {
  return op.read
    .selectFrom('webhook_secrets')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('endpoint_id', 'is not distinct from', endpointId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', op.now)]))
    .orderBy('expires_at', 'desc')
    .execute()
}

/** The end of the feed across all platforms. */
interface EndOfFeed {
  /**
   * The oldest open transaction of the cluster, in any of its databases. Events of this transaction and later
   * ones are not final.
   */
  readonly oldest: string
  /** True if events wait for this transaction. */
  readonly waits: boolean
}

const END_OF_FEED_SQL = `
SELECT oldest::text AS oldest, EXISTS (
  SELECT FROM platforms, LATERAL (
    SELECT FROM events WHERE platform_id = platforms.id
    AND committed_in >= (oldest::text::bigint + feed_base())::text::xid8 LIMIT 1) AS waiting) AS waits
FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS oldest) AS cluster`

export async function findEndOfFeed(db: Database): Promise<EndOfFeed> {
  const { rows } = await db.query<EndOfFeed>(END_OF_FEED_SQL)
  return getOnlyRow(rows)
}

/**
 * Reads sessions with an open transaction that has changed something, the oldest first. Most roles see only
 * their own sessions.
 */
export async function findOpenTransactions(db: Database): Promise<unknown[]> {
  const { rows } = await db.query(`
SELECT pid, datname AS database, application_name AS application,
  extract(epoch FROM clock_timestamp() - xact_start)::int AS seconds
FROM pg_stat_activity WHERE backend_xid IS NOT NULL ORDER BY xact_start LIMIT 3`)
  return rows
}
