import type { EventType } from '@countersign/contract/events/events'
import type { DELIVERY_STATUSES } from '@countersign/contract/events/webhooks'
import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import type { DeliveryKind } from '../../kernel/outbox/events.ts'
import { IS_DELIVERY } from '../../kernel/outbox/store.ts'
import type { FeedPosition } from '../../kernel/ports/event-streams.ts'
import { uuidOf } from '../../storage/engine/ids.ts'
import type { Database } from '../../storage/engine/port.ts'
import { onlyRow } from '../../storage/engine/port.ts'
import type { Read } from '../../storage/read/read.ts'
import { whenGiven, whereGiven } from '../../storage/read/where-given.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import type { DeliveryPayload, JobRow } from '../../storage/rows/job.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow, WebhookSecretRow } from '../../storage/rows/tables.ts'

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

/** The delivery columns that are shown with an event. */
export type EventWithDelivery = EventRow & {
  readonly state: WebhookDeliveryRow['state'] | null
  readonly attempts: number | null
  readonly is_due: boolean
}

export const isDelivery = sql<boolean>`${sql.raw(`jobs.${IS_DELIVERY}`)}`
const eventOfJob = sql<string>`right(jobs.payload->>'eventId', 36)::uuid`

/** The text that was, or will be, sent. */
const dataOfEvent = sql<string>`coalesce(events.data,
  with_balances(event_records.text, events.available, events.posted))`

/** Whoever reads the feed of a platform. */
export interface FeedReader {
  readonly read: Read
  readonly platform: { readonly id: string }
}

function withDelivery(op: FeedReader) {
  return op.read
    .selectFrom('events')
    .leftJoin('webhook_deliveries', 'webhook_deliveries.id', 'events.id')
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
    .select(['webhook_deliveries.state', 'webhook_deliveries.attempts'])
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('jobs')
            .select('jobs.id')
            .where(isDelivery)
            .where((job) => job(eventOfJob, '=', job.ref('events.id'))),
        )
        .$castTo<boolean>()
        .as('is_due'),
    )
}

/** Final events: none appears before them any more. Those of transactions that are still open come after, by `committed_in`. */
const IS_FINAL = sql<boolean>`events.committed_in
  < (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + feed_base())::text::xid8`

function isAfterEvent({ committed_in, position }: FeedPosition) {
  return sql<boolean>`(events.committed_in, events.position) > (${committed_in}, ${position})`
}

/** The events that a job delivers, and those whose delivery has ended so; each found by an index of its own. */
function hasStatus({ platform }: FeedReader, status: DeliveryStatus) {
  const id = uuidOf(platform.id)
  const due = sql`(SELECT ${eventOfJob} FROM jobs WHERE jobs.platform_id = ${id} AND ${isDelivery})`
  const ended = (state: string) =>
    sql`(SELECT d.id FROM webhook_deliveries d WHERE d.platform_id = ${id} AND d.state = ${state})`
  if (status === 'PENDING') return sql<boolean>`events.id IN ${due}`
  if (status !== 'NONE') return sql<boolean>`events.id IN ${ended(status)} AND events.id NOT IN ${due}`
  return sql<boolean>`coalesce(webhook_deliveries.state, 'PENDING') = 'PENDING' AND events.id NOT IN ${due}`
}

/** How many events a replay has. */
export async function countEvents(op: Op, filters: EventFilters): Promise<number> {
  const { count } = await selectCommitted(op, filters)
    .clearSelect()
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The first event of a replay. */
export async function selectFirstEvent(
  op: Op,
  filters: EventFilters,
): Promise<EventWithDelivery | undefined> {
  return selectCommitted(op, filters)
    .orderBy('events.committed_in')
    .orderBy('events.position')
    .limit(1)
    .executeTakeFirst()
}

/** Whether a replay is under way. */
export async function selectIsReplaying(op: Op): Promise<boolean> {
  const job = await op.read
    .selectFrom('jobs')
    .select('id')
    .where('platform_id', '=', op.platform.id)
    .where('kind', '=', 'webhook.replay')
    .limit(1)
    .executeTakeFirst()
  return job !== undefined
}

/** The first final events after a position, in the order of the feed. */
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

/** How many events a search for the latest ones passes by at once. */
const PASSED_MAX = 20_000

/** Of the next final events after a position, the latest one of each type, in the order of the feed. */
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

/**
 * A page of the matching events, but only up to where no earlier event can appear any more.
 */
export function selectEvents(op: Op, filters: EventFilters) {
  return selectCommitted(op, filters).where(IS_FINAL)
}

/**
 * Events whether or not the feed shows them yet. What is committed later may come before them; it is delivered for its own
 * sake, so a replay can do without it.
 */
function selectCommitted(op: Op, filters: EventFilters) {
  const { type, types, objectId, startDate, endDate, after, deliveryStatus } = filters
  return withDelivery(op)
    .$call((q) => whereGiven(q, 'events.type', '=', type))
    .$call((q) => whereGiven(q, 'events.type', 'in', types))
    .$call((q) => whenGiven(q, deliveryStatus, (query, status) => query.where(hasStatus(op, status))))
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

export async function selectDelivery(op: Op, eventId: string): Promise<WebhookDeliveryRow | undefined> {
  return op.read
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', '=', eventId)
    .where('platform_id', '=', op.platform.id)
    .executeTakeFirst()
}

/** The job that delivers an event, if there is one. */
export async function selectDeliveryJob(op: Op, eventId: string): Promise<JobRow<DeliveryKind> | undefined> {
  return op.read
    .selectFrom('jobs')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where(isDelivery)
    .where(eventOfJob, '=', uuidOf(eventId))
    .orderBy('due_at')
    .limit(1)
    .$narrowType<{ kind: DeliveryKind; payload: DeliveryPayload }>()
    .executeTakeFirst()
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

/** Where the feed of all platforms ends. */
interface EndOfFeed {
  /** The oldest open transaction of the cluster, also of another database: no event of it or after it is final. */
  readonly oldest: string
  /** Whether events wait behind it. */
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
