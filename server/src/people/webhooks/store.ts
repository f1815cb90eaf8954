import type { EventType } from '@countersign/contract/events/events'
import type { DELIVERY_STATUSES } from '@countersign/contract/events/webhooks'
import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import type { FeedPosition } from '../../kernel/ports/event-streams.ts'
import { uuidOf } from '../../storage/engine/ids.ts'
import type { Database } from '../../storage/engine/port.ts'
import { onlyRow } from '../../storage/engine/port.ts'
import type { Read } from '../../storage/read/read.ts'
import { whenGiven, whereGiven } from '../../storage/read/where-given.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import type { WebhookAttemptRow, WebhookSecretRow } from '../../storage/rows/tables.ts'
import type { UndeliveredEventRow } from '../../storage/rows/webhook-endpoint.ts'
import { beyondCursor, deliveryStatus, selectUndelivered } from './delivery-status.ts'

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

/** An event with how its delivery to the `webhookEndpoint` of the configuration stands. */
export type EventWithDelivery = EventRow & { readonly status: DeliveryStatus }

/** The text that was, or will be, sent. */
const dataOfEvent = sql<string>`coalesce(events.data,
  with_balances(event_records.text, events.available, events.posted))`

/** A reader of one platform's feed. */
export interface FeedReader {
  readonly read: Read
  readonly platform: { readonly id: string }
}

function withDelivery(op: FeedReader) {
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
 * Final events: no new one can appear before them. Those of transactions that are still open come after, by
 * `committed_in`.
 */
const IS_FINAL = sql<boolean>`events.committed_in
  < (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + feed_base())::text::xid8`

function isAfterEvent({ committed_in, position }: FeedPosition) {
  return sql<boolean>`(events.committed_in, events.position) > (${committed_in}, ${position})`
}

/**
 * A filter by status. The expression is right for each event; what comes before it is found by an index, and leaves out most events.
 */
function hasStatus({ platform }: FeedReader, status: DeliveryStatus) {
  const id = uuidOf(platform.id)
  const is = sql<boolean>`${deliveryStatus} = ${status}`
  if (status === 'FAILED') return sql<boolean>`events.id IN ${selectUndelivered(id, 'IS NOT NULL')} AND ${is}`
  if (status !== 'PENDING') return is
  return sql<boolean>`events.id IN (${selectUndelivered(id, 'IS NULL')} UNION ALL ${beyondCursor(id)}) AND ${is}`
}

/** The number of events that a replay sends. */
export async function countEvents(op: Op, filters: EventFilters): Promise<number> {
  const { count } = await selectCommitted(op, filters)
    .clearSelect()
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The first final events after a position, in feed order. */
export async function selectEventsAfter(
  reader: FeedReader,
  after: FeedPosition,
  limit: number,
): Promise<EventWithDelivery[]> {
  return withDelivery(reader)
    .where(IS_FINAL)
    .where(isAfterEvent(after))
    .orderBy('events.committed_in')
    .orderBy('events.position')
    .limit(limit)
    .execute()
}

/** The maximum number of events that one search for the latest ones reads. */
const PASSED_MAX = 20_000

/** Of the next final events after a position, the latest one of each type, in feed order. */
export async function selectLatestAfter(
  reader: FeedReader,
  after: FeedPosition,
): Promise<EventWithDelivery[]> {
  const next = reader.read
    .selectFrom('events')
    .select(['id', 'type', 'committed_in', 'position'])
    .where('platform_id', '=', reader.platform.id)
    .where(IS_FINAL)
    .where(isAfterEvent(after))
    .orderBy('committed_in')
    .orderBy('position')
    .limit(PASSED_MAX)
  return withDelivery(reader)
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

/** The newest final event, if there is one. */
export async function selectNewestEvent({
  read,
  platform,
}: FeedReader): Promise<(FeedPosition & { readonly id: string }) | undefined> {
  return read
    .selectFrom('events')
    .select(['id', 'committed_in', 'position'])
    .where('platform_id', '=', platform.id)
    .where(IS_FINAL)
    .orderBy('committed_in', 'desc')
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** A page of the matching events, but only up to where no earlier event can appear. */
export function selectEvents(op: Op, filters: EventFilters) {
  return selectCommitted(op, filters).where(IS_FINAL)
}

/**
 * Events whether or not the feed shows them yet. Later committed events may come before them; they are
 * delivered separately, so a replay can skip them.
 */
function selectCommitted(op: Op, filters: EventFilters) {
  const { type, types, objectId, startDate, endDate, after } = filters
  return withDelivery(op)
    .$call((q) => whereGiven(q, 'events.type', '=', type))
    .$call((q) => whereGiven(q, 'events.type', 'in', types))
    .$call((q) => whenGiven(q, filters.deliveryStatus, (query, status) => query.where(hasStatus(op, status))))
    .$call((q) => whereGiven(q, 'events.object_id', '=', objectId))
    .$call((q) => whereGiven(q, 'events.created_at', '>=', startDate))
    .$call((q) => whereGiven(q, 'events.created_at', '<=', endDate))
    .$call((q) => (after === undefined ? q : q.where(isAfterEvent(after))))
}

export async function selectEvent(op: Op, id: string): Promise<EventWithDelivery | undefined> {
  return withDelivery(op).where('events.id', '=', id).executeTakeFirst()
}

/** The last attempts of an event, latest first. */
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

/** The attempts at an event received immediately, from the rows that may have it. Earliest first. */
export async function selectReceipts(op: Op, event: EventRow): Promise<AttemptOfReceipt[]> {
  const { rows } = await op.db.query<AttemptOfReceipt>(RECEIPTS, [
    uuidOf(op.platform.id),
    event.committed_in,
    event.position,
    uuidOf(event.id),
  ])
  return rows
}

/** An attempt of several recorded together. */
export type AttemptOfReceipt = Pick<WebhookAttemptRow, 'url' | 'duration_ms' | 'created_at'> & {
  readonly status: number
}

/** Between the place of an event and the last place of the row that has it there are at most this many rows. */
const RECEIPTS_MAX = 1_100

const RECEIPTS = `
SELECT r.url, r.statuses[n.at] AS status, r.durations_ms[n.at] AS duration_ms, r.started_at[n.at] AS created_at
FROM (
  SELECT * FROM webhook_receipts
  WHERE platform_id = $1 AND (last_committed_in, last_position) >= ($2::text::xid8, $3::bigint)
  ORDER BY last_committed_in, last_position LIMIT ${RECEIPTS_MAX}) AS r
CROSS JOIN LATERAL (SELECT array_position(r.event_ids, $4::uuid) AS at) AS n
WHERE (r.first_committed_in, r.first_position) <= ($2::text::xid8, $3::bigint) AND n.at IS NOT NULL
ORDER BY created_at`

/** The row of an event not yet received by an endpoint, or given up. */
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

/** When the next attempt at an event may follow; undefined if none is due. */
export async function selectNextAttemptAt(op: Op, eventId: string): Promise<Date | undefined> {
  const { rows } = await op.db.query<{ at: Date | null }>(
    `SELECT min(greatest(u.due_at, e.retry_at)) AS at
     FROM undelivered_events u JOIN webhook_endpoints e ON e.id = u.endpoint_id
     WHERE u.id = $2 AND u.due_at IS NOT NULL AND e.platform_id = $1 AND e.role <> 'ADDED' AND e.deleted_at IS NULL`,
    [uuidOf(op.platform.id), uuidOf(eventId)],
  )
  return rows[0]?.at ?? undefined
}

/** The valid secrets with a row, the current one first: it has no end. */
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
  /** The oldest open transaction of the cluster, also of another database: no event of it or after it is final. */
  readonly oldest: string
  /** True if events wait behind it. */
  readonly waits: boolean
}

const END_OF_FEED = `
SELECT oldest::text AS oldest, EXISTS (
  SELECT FROM platforms, LATERAL (
    SELECT FROM events WHERE platform_id = platforms.id
    AND committed_in >= (oldest::text::bigint + feed_base())::text::xid8 LIMIT 1) AS waiting) AS waits
FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS oldest) AS cluster`

export async function findEndOfFeed(db: Database): Promise<EndOfFeed> {
  const { rows } = await db.query<EndOfFeed>(END_OF_FEED)
  return onlyRow(rows)
}

/** Sessions with an open transaction that has changed something, the oldest first. Only its own role's are shown to most roles. */
export async function findOpenTransactions(db: Database): Promise<unknown[]> {
  const { rows } = await db.query(`
SELECT pid, datname AS database, application_name AS application,
  extract(epoch FROM clock_timestamp() - xact_start)::int AS seconds
FROM pg_stat_activity WHERE backend_xid IS NOT NULL ORDER BY xact_start LIMIT 3`)
  return rows
}
