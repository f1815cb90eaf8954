import { present } from '@countersign/contract/core/objects'
import { type eventStream, FEED_BEGINNING } from '@countersign/contract/events/event-stream'
import { event_list, type webhooks } from '@countersign/contract/events/webhooks'
import { nameOf } from '../../kernel/audit/actors.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { listFile } from '../../kernel/operation/list-file.ts'
import { ApiError, type Handlers, StaleRead } from '../../kernel/operation/operation.ts'
import { type Order, page } from '../../kernel/operation/paging.ts'
import { timeIfGiven } from '../../kernel/operation/time-range.ts'
import { deliveryJob, deliveryKind, testEvent, webhookEndpoint } from '../../kernel/outbox/events.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { BEGINNING, type FeedPosition, type StreamCaller } from '../../kernel/ports/event-streams.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow } from '../../storage/rows/tables.ts'
import { findPlatform, platformChanged } from '../platforms/platforms.ts'
import { memberBehind } from '../tokens/tokens.ts'
import { attempt, attemptWrite, textOf } from './delivery-attempt.ts'
import { attemptNow } from './delivery-queue.ts'
import { isReceived, newDelivery } from './delivery-record.ts'
import { eventView } from './event-view.ts'
import { replayed } from './replay.ts'
import { findSecrets } from './secrets.ts'
import {
  countEvents,
  type EventWithDelivery,
  selectAttempts,
  selectDelivery,
  selectDeliveryJob,
  selectEvent,
  selectEvents,
  selectIsReplaying,
} from './store.ts'

const ATTEMPTS_SHOWN_MAX = 100

export const webhookHandlers: Handlers<typeof webhooks> = {
  event_list: async (op, { query }) => {
    const { startDate, endDate } = query
    const filters = {
      ...present({ type: query.type, objectId: query.objectId, deliveryStatus: query.deliveryStatus }),
      ...(startDate === undefined ? {} : { startDate: new Date(startDate) }),
      ...(endDate === undefined ? {} : { endDate: new Date(endDate) }),
      ...(query.after === undefined ? {} : { after: await findPosition(op, query.after) }),
    }
    const body = await page(op, query, {
      rows: selectEvents(op, filters),
      table: 'events',
      by: BY_COMMIT,
      order: query.sortOrder ?? 'asc',
      view: (rows) => rows.map(eventView),
    })
    return { status: 200, body }
  },

  event_csv: async (op, input) =>
    listFile(op, event_list, 'events', (page) =>
      webhookHandlers.event_list(op, { ...input, query: { ...input.query, ...page } }),
    ),

  event_get: async (op, { params }) => {
    const event = await findEvent(op, params.eventId)
    const job = await selectDeliveryJob(op, event.id)
    return {
      status: 200,
      body: eventDetails(event, job?.due_at, await findAttempts(op, event)),
    }
  },

  event_redeliver: async (op, { params }) => {
    const event = await findEvent(op, params.eventId)
    requireEndpoint(op)
    // Of two calls at the same time, the second finds the job of the first, or its guard fails.
    const delivery = await selectDelivery(op, event.id)
    const job = await selectDeliveryJob(op, event.id)
    return {
      status: 200,
      body: eventDetails({ ...event, is_due: true }, op.now, await findAttempts(op, event)),
      writes: job ? attemptNow(op, job) : deliverAgain(op, event, delivery),
    }
  },

  /** Sends the test before writing it, because its result is part of what is written. */
  sandbox_webhook_test: async (op) => {
    const url = requireEndpoint(op)
    const write = testEvent(op)
    const { id, type, objectId, at } = write
    const tried = await attempt(
      op,
      { id, type, object_id: objectId, sequence: 1, data: '{}', created_at: at },
      { url, secrets: await findSecrets(op) },
    )
    const { answer, error } = tried
    const by = answer && isReceived(answer.status) ? 'deliver' : 'fail'
    return {
      status: 200,
      body: present({
        url,
        response_status: answer?.status ?? 0,
        response_body: answer && textOf(answer.body),
        error,
        event_id: id,
      }),
      writes: [
        write,
        insert('webhook_deliveries', { ...newDelivery(op, id, by), attempts: 1 }),
        attemptWrite(op, id, 1, tried),
      ],
    }
  },
}

async function callerOf(op: Op): Promise<StreamCaller> {
  const name = nameOf(op.actor)?.actor_id ?? op.actor.kind
  return { name, owner: (await memberBehind(op)) ?? name }
}

/** What follows the feed. */
export const eventStreamHandlers: Handlers<typeof eventStream> = {
  event_stream: async (op, { query }) => {
    const after = query.after === undefined ? undefined : await findPosition(op, query.after)
    const { types, latestOnly = false } = query
    const pieces = await op.eventStreams.open(op.platform.id, {
      caller: await callerOf(op),
      after,
      types,
      latestOnly,
    })
    // A proxy in between would collect the messages.
    return { status: 200, text: { type: 'sse', headers: { 'X-Accel-Buffering': 'no' }, pieces } }
  },

  event_replay: async (op, { body }) => {
    requireEndpoint(op)
    // Reads the platform first, because its version guards the later reads.
    const platform = await findPlatform(op)
    if (await selectIsReplaying(op)) throw new ApiError('REPLAY_IN_PROGRESS')
    const replay = {
      ...present({ types: body.types }),
      startDate: new Date(body.startDate).toISOString(),
      endDate: (timeIfGiven(body.endDate) ?? op.now).toISOString(),
    }
    const events = await countEvents(op, replayed(replay))
    return {
      status: 202,
      body: { events },
      // Guards that, of several calls at the same time, one begins a replay.
      writes: events === 0 ? [] : [platformChanged(op, platform), job(op, 'webhook.replay', replay, op.now)],
    }
  },
}

/** In the order of transactions, and within each in the order of writing. */
const BY_COMMIT: Order<EventRow> = {
  columns: ['committed_in', 'position'],
  of: (row) => [row.committed_in, String(row.position)],
  read: (transaction, position) => [transaction, position],
}

/** Guard: the delivery is unchanged. */
function deliverAgain(op: Op, event: EventRow, delivery: WebhookDeliveryRow | undefined): Write[] {
  const redeliveries = (delivery?.redeliveries ?? 0) + 1
  const payload = { eventId: event.id, since: op.now.toISOString() }
  return [
    delivery
      ? update(
          'webhook_deliveries',
          event.id,
          { redeliveries: delivery.redeliveries, attempts: delivery.attempts },
          { redeliveries },
        )
      : insert('webhook_deliveries', { ...newDelivery(op, event.id), redeliveries }),
    deliveryJob(op, deliveryKind(event.type), payload, op.now),
  ]
}

/** The address that events are sent to. Error: 400 `WEBHOOK_ENDPOINT_NOT_SET`. */
function requireEndpoint(op: Op): string {
  const url = webhookEndpoint(op.platform)
  if (url === undefined)
    throw new ApiError('WEBHOOK_ENDPOINT_NOT_SET', { details: { field: 'webhookEndpoint' } })
  return url
}

async function findEvent(op: Op, id: string, field = 'eventId'): Promise<EventWithDelivery> {
  const event = await selectEvent(op, id)
  if (!event) throw new ApiError('EVENT_NOT_FOUND', { details: { field } })
  return event
}

/** Where a reader of the feed stands who has seen this event. */
async function findPosition(op: Op, after: string): Promise<FeedPosition> {
  return after === FEED_BEGINNING ? BEGINNING : findEvent(op, after, 'after')
}

/** The last attempts that are kept, latest first. Read after the delivery, because an attempt changes both. */
async function findAttempts(op: Op, event: EventWithDelivery): Promise<WebhookAttemptRow[]> {
  const attempts = await selectAttempts(op, event.id, ATTEMPTS_SHOWN_MAX)
  if ((attempts[0]?.attempt ?? 0) > (event.attempts ?? 0))
    throw new StaleRead('The event was delivered meanwhile')
  return attempts
}

function eventDetails(
  event: EventWithDelivery,
  dueAt: Date | undefined,
  attempts: readonly WebhookAttemptRow[],
) {
  const isRetried = event.is_due && attempts.length > 0
  return {
    ...eventView(event),
    ...(isRetried && dueAt ? { nextAttemptAt: dueAt.toISOString() } : {}),
    deliveryAttempts: attempts.map(attemptView).reverse(),
  }
}

function attemptView(row: WebhookAttemptRow) {
  return present({
    attempt: row.attempt,
    url: row.url,
    startedAt: row.created_at.toISOString(),
    durationMs: row.duration_ms,
    responseStatus: row.status,
    responseBody: row.answer,
    error: row.error,
  })
}
