import type { EventType } from '@countersign/contract/events/events'
import { sql } from 'kysely'
import { uuidOf } from '../db/engine/ids.ts'
import { whereGiven } from '../db/read/where-given.ts'
import type { EventRow } from '../db/schema/event-tables.ts'
import type { DeliveryPayload, JobRow } from '../db/schema/job-tables.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow, WebhookSecretRow } from '../db/schema/tables.ts'
import { DELIVERY_KINDS, type DeliveryKind } from '../events/events.ts'
import type { Op } from '../op/app.ts'

export interface EventFilters {
  readonly type?: EventType
  readonly objectId?: string
  readonly startDate?: Date
  readonly endDate?: Date
  readonly after?: EventRow
}

/** The delivery columns that are shown with an event. */
export type EventWithDelivery = EventRow & {
  readonly state: WebhookDeliveryRow['state'] | null
  readonly attempts: number | null
  readonly is_due: boolean
}

/** Spelled as in the partial indexes of the queue. */
const IS_DELIVERY = `kind IN (${DELIVERY_KINDS.map((kind) => `'${kind}'`).join(', ')})`
const isDelivery = sql<boolean>`${sql.raw(`jobs.${IS_DELIVERY}`)}`
const eventOfJob = sql<string>`right(jobs.payload->>'eventId', 36)::uuid`
const objectOfJob = sql<string>`jobs.payload->>'objectId'`
const sequenceOfJob = sql<number | null>`(jobs.payload->>'sequence')::integer`

/** The text that was, or will be, sent. */
const dataOfEvent = sql<string>`coalesce(events.data,
  with_balances(event_records.text, events.available, events.posted))`

function withDelivery(op: Op) {
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

/**
 * A page of the matching events, but only up to where no earlier event can appear any more. Events of transactions that are
 * still open come after all of these, by `committed_in`.
 */
export function selectEvents(op: Op, { type, objectId, startDate, endDate, after }: EventFilters) {
  return withDelivery(op)
    .where(sql<boolean>`events.committed_in < pg_snapshot_xmin(pg_current_snapshot())`)
    .$call((q) => whereGiven(q, 'events.type', '=', type))
    .$call((q) => whereGiven(q, 'events.object_id', '=', objectId))
    .$call((q) => whereGiven(q, 'events.created_at', '>=', startDate))
    .$call((q) => whereGiven(q, 'events.created_at', '<=', endDate))
    .$call((q) =>
      after === undefined
        ? q
        : q.where(
            sql<boolean>`(events.committed_in, events.position) > (${after.committed_in}, ${after.position})`,
          ),
    )
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

/** An event that another one waits for, with its delivery. */
export interface Predecessor {
  readonly id: string
  readonly created_at: Date
  readonly state: WebhookDeliveryRow['state'] | null
  readonly is_awaited: boolean | null
}

/** The last job that has its number, and all jobs that were never run and so have none yet. */
const PREDECESSOR = `
SELECT e.id, e.created_at, d.state, d.is_awaited
FROM (
  (SELECT platform_id, payload FROM jobs WHERE ${IS_DELIVERY} AND payload->>'objectId' = $2
     AND (payload->>'sequence')::integer < $3 ORDER BY (payload->>'sequence')::integer DESC LIMIT 1)
  UNION ALL
  SELECT platform_id, payload FROM jobs WHERE ${IS_DELIVERY} AND payload->>'objectId' = $2
     AND (payload->>'sequence')::integer IS NULL
) AS j
JOIN events e ON e.id = right(j.payload->>'eventId', 36)::uuid
LEFT JOIN webhook_deliveries d ON d.id = e.id
WHERE j.platform_id = $1 AND e.sequence < $3 ORDER BY e.sequence DESC LIMIT 1`

/** The last undelivered event of an object before this one. */
export async function selectPredecessor(
  op: Op,
  objectId: string,
  sequence: number,
): Promise<Predecessor | undefined> {
  return (await op.db.query<Predecessor>(PREDECESSOR, [uuidOf(op.platform.id), objectId, sequence])).rows[0]
}

/** The job of the first event of an object after this one whose job was already run. */
export async function selectSuccessor(
  op: Op,
  objectId: string,
  sequence: number,
): Promise<JobRow<DeliveryKind> | undefined> {
  return op.read
    .selectFrom('jobs')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where(isDelivery)
    .where(objectOfJob, '=', objectId)
    .where(sequenceOfJob, '>', sequence)
    .orderBy(sequenceOfJob)
    .limit(1)
    .$narrowType<{ kind: DeliveryKind; payload: DeliveryPayload }>()
    .executeTakeFirst()
}

/** The valid secrets with a row, the current one first: it has no end. */
export async function selectValidSecrets(op: Op): Promise<WebhookSecretRow[]> {
  return op.read
    .selectFrom('webhook_secrets')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', op.now)]))
    .orderBy('expires_at', 'desc')
    .execute()
}
