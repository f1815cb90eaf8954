import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import type { DeliveryKind } from '../../kernel/outbox/events.ts'
import { IS_DELIVERY } from '../../kernel/outbox/store.ts'
import { uuidOf } from '../../storage/engine/ids.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import type { DeliveryPayload, JobRow } from '../../storage/rows/job.ts'
import type { WebhookDeliveryRow } from '../../storage/rows/tables.ts'
import type { SigningSecret } from './secrets.ts'
import { isDelivery } from './store.ts'

/** An event that another one waits for, with its delivery. */
export interface Predecessor {
  readonly id: string
  readonly created_at: Date
  readonly state: WebhookDeliveryRow['state'] | null
  readonly is_awaited: boolean | null
}

/** Everything that a job needs to deliver an event. */
export interface DueDelivery {
  readonly event: EventRow
  /** Undefined if the event was never tried and none waits for it. */
  readonly delivery: WebhookDeliveryRow | undefined
  /** The last undelivered event of the same object before this one. */
  readonly before: Predecessor | undefined
  /** False if the event has no job any more. */
  readonly isDue: boolean
  /** The valid secrets of the platform, the current one first. */
  readonly secrets: readonly SigningSecret[]
}

const EVENT = `e.id, e.position, e.platform_id, e.type, e.object_id, e.sequence, e.created_at, e.committed_in,
  coalesce(e.data, with_balances(r.text, e.available, e.posted)) AS data`
const DELIVERY = 'd.state, d.attempts, d.redeliveries, d.is_awaited, d.ended_at'
const EVENT_OF_JOB = "right(payload->>'eventId', 36)::uuid"
const SEQUENCE_OF_JOB = "(payload->>'sequence')::integer"

/**
 * The event before is nearly always the previous one. It is looked for by its number and its job by its id: a backlog of
 * the object is not read through for each of its events. If that one has no job, it is the last job with a number, or one
 * of the jobs that were never run and so are not numbered yet.
 */
const PREDECESSOR = `
SELECT * FROM (
  (SELECT b.id, b.created_at FROM events b WHERE b.object_id = e.object_id AND b.sequence = e.sequence - 1
   AND (SELECT payload->>'objectId' FROM jobs WHERE ${IS_DELIVERY} AND ${EVENT_OF_JOB} = b.id LIMIT 1) = $3)
  UNION ALL
  (SELECT b.id, b.created_at FROM (
     (SELECT platform_id, payload FROM jobs WHERE ${IS_DELIVERY} AND payload->>'objectId' = $3
        AND ${SEQUENCE_OF_JOB} < e.sequence ORDER BY ${SEQUENCE_OF_JOB} DESC LIMIT 1)
     UNION ALL
     SELECT platform_id, payload FROM jobs WHERE ${IS_DELIVERY} AND payload->>'objectId' = $3
        AND ${SEQUENCE_OF_JOB} IS NULL
   ) AS j JOIN events b ON b.id = ${EVENT_OF_JOB}
   WHERE j.platform_id = $1 AND b.sequence < e.sequence ORDER BY b.sequence DESC LIMIT 1)
) AS either LIMIT 1`

const SECRETS = `
SELECT array_agg(id ORDER BY expires_at DESC) AS ids, array_agg(key_generation ORDER BY expires_at DESC) AS generations
FROM webhook_secrets WHERE platform_id = $1 AND endpoint_id IS NULL AND (expires_at IS NULL OR expires_at > $4)`

const DUE_DELIVERY = `
SELECT ${EVENT}, ${DELIVERY},
  p.id AS before_id, p.created_at AS before_created_at, q.state AS before_state, q.is_awaited AS before_is_awaited,
  EXISTS (SELECT FROM jobs WHERE ${IS_DELIVERY} AND ${EVENT_OF_JOB} = $2) AS is_due, s.ids, s.generations
FROM events e
LEFT JOIN event_records r ON r.digest = e.record
LEFT JOIN webhook_deliveries d ON d.id = e.id
LEFT JOIN LATERAL (${PREDECESSOR}) AS p ON $3::text IS NOT NULL
LEFT JOIN webhook_deliveries q ON q.id = p.id
CROSS JOIN (${SECRETS}) AS s
WHERE e.platform_id = $1 AND e.id = $2`

/** The columns of a delivery, which are null together. */
type Delivered =
  | Pick<WebhookDeliveryRow, 'state' | 'attempts' | 'redeliveries' | 'is_awaited' | 'ended_at'>
  | { readonly state: null }

type DueRow = EventRow &
  Delivered & {
    readonly before_id: string | null
    readonly before_created_at: Date
    readonly before_state: Predecessor['state']
    readonly before_is_awaited: boolean | null
    readonly is_due: boolean
    readonly ids: readonly string[] | null
    readonly generations: readonly number[] | null
  }

/** Reads what a job delivers, in one statement. With `objectId` it has to wait for earlier events of that object. */
export async function selectDueDelivery(
  op: Op,
  { eventId, objectId }: DeliveryPayload,
): Promise<DueDelivery | undefined> {
  const parameters = [uuidOf(op.platform.id), uuidOf(eventId), objectId ?? null, op.now]
  const { rows } = await op.db.query<DueRow>(DUE_DELIVERY, parameters, { isBrief: true })
  const [row] = rows
  if (!row) return undefined
  const { before_id: id, before_created_at, before_state, before_is_awaited, generations } = row
  return {
    event: row,
    delivery: deliveryOf(op, row.id, row),
    before:
      id === null
        ? undefined
        : { id, created_at: before_created_at, state: before_state, is_awaited: before_is_awaited },
    isDue: row.is_due,
    secrets: (row.ids ?? []).map((id, at) => ({ id, key_generation: generations?.[at] ?? 0 })),
  }
}

function deliveryOf({ platform }: Op, id: string, row: Delivered): WebhookDeliveryRow | undefined {
  if (row.state === null) return undefined
  const { state, attempts, redeliveries, is_awaited, ended_at } = row
  return { id, platform_id: platform.id, state, attempts, redeliveries, is_awaited, ended_at }
}

/** An event that waits behind another one of its object. */
export interface QueuedEvent extends EventRow {
  readonly kind: DeliveryKind
  readonly payload: DeliveryPayload
  /** Null if it was never tried and none waits for it. */
  readonly attempts: number | null
}

/** The jobs with a number, and all those that were never run and so are not numbered yet. */
const QUEUE = `
SELECT ${EVENT}, j.kind, j.payload, d.attempts
FROM (
  (SELECT kind, payload FROM jobs WHERE ${IS_DELIVERY} AND payload->>'objectId' = $2
     AND ${SEQUENCE_OF_JOB} > $3 ORDER BY ${SEQUENCE_OF_JOB} LIMIT $4)
  UNION ALL
  SELECT kind, payload FROM jobs WHERE ${IS_DELIVERY} AND payload->>'objectId' = $2 AND ${SEQUENCE_OF_JOB} IS NULL
) AS j
JOIN events e ON e.id = ${EVENT_OF_JOB}
LEFT JOIN event_records r ON r.digest = e.record
LEFT JOIN webhook_deliveries d ON d.id = e.id
WHERE e.platform_id = $1 AND e.sequence > $3 ORDER BY e.sequence LIMIT $4`

/** Reads the next events of an object that wait to be delivered, in order. */
export async function selectQueue(
  op: Op,
  objectId: string,
  after: number,
  limit: number,
): Promise<QueuedEvent[]> {
  return (await op.db.query<QueuedEvent>(QUEUE, [uuidOf(op.platform.id), objectId, after, limit])).rows
}

/** The job and the delivery of an event as they are now. */
export interface QueuedState {
  readonly jobId: string
  readonly delivery: WebhookDeliveryRow | undefined
}

const QUEUE_STATES = `
SELECT ${EVENT_OF_JOB} AS event_id, j.id AS job_id, ${DELIVERY}
FROM jobs j LEFT JOIN webhook_deliveries d ON d.id = ${EVENT_OF_JOB}
WHERE ${IS_DELIVERY} AND ${EVENT_OF_JOB} = ANY ($2::uuid[]) AND j.platform_id = $1 AND payload->>'objectId' = $3`

/** Reads the jobs and deliveries of events of an object, by event. */
export async function selectQueueStates(
  op: Op,
  objectId: string,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, QueuedState>> {
  const { rows } = await op.db.query<Delivered & { readonly event_id: string; readonly job_id: string }>(
    QUEUE_STATES,
    [uuidOf(op.platform.id), eventIds.map(uuidOf), objectId],
    { isBrief: true },
  )
  return new Map(
    rows.map((row) => [row.event_id, { jobId: row.job_id, delivery: deliveryOf(op, row.event_id, row) }]),
  )
}

const objectOfJob = sql<string>`jobs.payload->>'objectId'`
const sequenceOfJob = sql<number | null>`(jobs.payload->>'sequence')::integer`

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
