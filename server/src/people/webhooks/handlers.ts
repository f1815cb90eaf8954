import { present } from '@countersign/contract/core/objects'
import { type eventStream, FEED_BEGINNING } from '@countersign/contract/events/event-stream'
import type { webhooks } from '@countersign/contract/events/webhooks'
import { nameActor } from '../../kernel/audit/actors.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage, type Order } from '../../kernel/operation/paging.ts'
import { parseOptionalTime } from '../../kernel/operation/time-range.ts'
import { testEvent } from '../../kernel/outbox/events.ts'
import {
  newEndpoint,
  selectEndOfFeed,
  selectOwnEndpoint,
  selectPositionBefore,
  selectReplay,
  sendOutsideFeed,
} from '../../kernel/outbox/own-endpoint.ts'
import { BEGINNING, type FeedPosition, type StreamCaller } from '../../kernel/ports/event-streams.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import type { WebhookAttemptRow } from '../../storage/rows/tables.ts'
import type { UndeliveredEventRow, WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'
import { findMemberBehind } from '../tokens/tokens.ts'
import { type Attempt, attemptDelivery, clipResponse, toStorableText } from './delivery-attempt.ts'
import { toEventView } from './event-view.ts'
import { isReceived } from './request-series.ts'
import { deriveSecretBytes, findSecrets } from './secrets.ts'
import {
  countEvents,
  type EventWithDelivery,
  type ReceiptAttempt,
  selectAttempts,
  selectEvent,
  selectEvents,
  selectNextAttemptAt,
  selectReceipts,
  selectUndeliveredEvent,
} from './store.ts'

const ATTEMPTS_SHOWN_MAX = 100
/** The status of an event that will be sent. */
const PENDING_STATUS: EventWithDelivery['status'] = 'PENDING'

export const webhookHandlers: Handlers<typeof webhooks> = {
  event_list: async (op, { query }) => {
    const { startDate, endDate } = query
    const filters = {
      ...present({ type: query.type, objectId: query.objectId, deliveryStatus: query.deliveryStatus }),
      ...(startDate === undefined ? {} : { startDate: new Date(startDate) }),
      ...(endDate === undefined ? {} : { endDate: new Date(endDate) }),
      ...(query.after === undefined ? {} : { after: await findPosition(op, query.after) }),
    }
    const body = await listPage(op, query, {
      rows: selectEvents(op, filters),
      table: 'events',
      by: BY_COMMIT,
      order: query.sortOrder ?? 'asc',
      view: (rows) => rows.map(toEventView),
    })
    return { status: 200, body }
  },

  event_get: async (op, { params }) => ({
    status: 200,
    body: await readEventDetails(op, await findEvent(op, params.eventId)),
  }),

  event_redeliver: async (op, { params }) => {
    const event = await findEvent(op, params.eventId)
    const endpoint = await requireEndpoint(op)
    const row = await selectUndeliveredEvent(op, endpoint.id, event.id)
    return {
      status: 200,
      body: await readEventDetails(op, { ...event, status: PENDING_STATUS }, op.now),
      writes: [
        // Ends a rest after many failures.
        ...(endpoint.retry_at === null
          ? []
          : [update('webhook_endpoints', endpoint.id, { deleted_at: null }, { retry_at: null })]),
        ...buildRedelivery(op, endpoint, event, row),
      ],
    }
  },

  /** Sends the test event before it is written, because the result is part of the write. */
  sandbox_webhook_test: async (op) => {
    const endpoint = await requireEndpoint(op)
    const { url } = endpoint
    const write = testEvent(op)
    const { id, type, objectId, at } = write
    const attempted = await attemptDelivery(
      op,
      { id, type, object_id: objectId, sequence: 1, data: '{}', created_at: at },
      { url, secrets: (await findSecrets(op)).map((secret) => deriveSecretBytes(op, secret)) },
    )
    const { response, error } = attempted
    const failure = {
      due_at: null,
      gave_up_at: op.now,
      attempts: 1,
      last_failure: String(response?.status ?? error),
    }
    return {
      status: 200,
      body: present({
        url,
        response_status: response?.status ?? 0,
        response_body: response && toStorableText(response.body),
        error,
        event_id: id,
      }),
      writes: [
        write,
        insertAttempt(op, id, attempted),
        ...(response && isReceived(response.status) ? [] : [sendOutsideFeed(op, endpoint, write, failure)]),
      ],
    }
  },
}

async function findCaller(op: Op): Promise<StreamCaller> {
  const name = nameActor(op.actor)?.actor_id ?? op.actor.kind
  return { name, owner: (await findMemberBehind(op)) ?? name }
}

/** Endpoints that stream or replay the feed. */
export const eventStreamHandlers: Handlers<typeof eventStream> = {
  event_stream: async (op, { query }) => {
    const after = query.after === undefined ? undefined : await findPosition(op, query.after)
    const { types, latestOnly = false } = query
    const pieces = await op.eventStreams.open(op.platform.id, {
      caller: await findCaller(op),
      after,
      types,
      latestOnly,
    })
    // Keeps proxies from buffering the messages.
    return { status: 200, text: { type: 'sse', headers: { 'X-Accel-Buffering': 'no' }, pieces } }
  },

  event_replay: async (op, { body }) => {
    const { url } = await requireEndpoint(op)
    const { countOnly = false } = body
    if (!countOnly && (await selectReplay(op))) throw new ApiError('REPLAY_IN_PROGRESS')
    const [startDate, endDate] = [new Date(body.startDate), parseOptionalTime(body.endDate) ?? op.now]
    const [events, first, ends_in] = await Promise.all([
      countEvents(op, { startDate, endDate, ...present({ types: body.types }) }),
      selectPositionBefore(op, startDate),
      selectEndOfFeed(op),
    ])
    const row = newEndpoint(op, {
      role: 'REPLAY',
      url,
      event_types: body.types ?? null,
      begins_in: first?.committed_in ?? ends_in,
      ends_in,
      events_from: startDate,
      events_until: endDate,
    })
    return {
      status: 202,
      body: { events },
      // If several calls arrive together, only one inserts it, because an index allows one replay.
      writes: countOnly || events === 0 ? [] : [insert('webhook_endpoints', row)],
    }
  },
}

/** The order of the feed: by transaction, then by position. */
const BY_COMMIT: Order<EventRow> = {
  columns: ['committed_in', 'position'],
  getPosition: (row) => [row.committed_in, String(row.position)],
  read: (transaction, position) => [transaction, position],
}

/**
 * Makes an event due now. If two calls race, the second finds the row of the first, or its guard fails. An
 * event that waits behind another event of its object, or in the feed, keeps its place.
 */
function buildRedelivery(
  op: Op,
  endpoint: WebhookEndpointRow,
  { id, type, status }: EventWithDelivery,
  row: UndeliveredEventRow | undefined,
): Write[] {
  if (!row)
    return status === PENDING_STATUS
      ? []
      : [sendOutsideFeed(op, endpoint, { id, type, objectId: id }, { was_received: status === 'DELIVERED' })]
  const { due_at, gave_up_at, attempts } = row
  const guard = { endpoint_id: endpoint.id, due_at, gave_up_at, attempts }
  if (gave_up_at) {
    const redelivery = { due_at: op.now, gave_up_at: null, attempts: 0, is_apart: true, created_at: op.now }
    return [update('undelivered_events', id, guard, redelivery)]
  }
  return due_at && due_at > op.now ? [update('undelivered_events', id, guard, { due_at: op.now })] : []
}

/** The record of the first attempt at an event. */
function insertAttempt(op: Op, eventId: string, attempted: Attempt): Write {
  return insert('webhook_attempts', {
    event_id: eventId,
    attempt: 1,
    platform_id: op.platform.id,
    url: attempted.url,
    status: attempted.response?.status ?? null,
    error: attempted.error ?? null,
    answer: clipResponse(attempted),
    duration_ms: attempted.durationMs,
    created_at: attempted.startedAt,
  })
}

/** Reads the row of the `webhookEndpoint`. Throws 400 `WEBHOOK_ENDPOINT_NOT_SET`. */
async function requireEndpoint(op: Op): Promise<WebhookEndpointRow> {
  const endpoint = await selectOwnEndpoint(op)
  if (!endpoint) throw new ApiError('WEBHOOK_ENDPOINT_NOT_SET', { details: { field: 'webhookEndpoint' } })
  return endpoint
}

async function findEvent(op: Op, id: string, field = 'eventId'): Promise<EventWithDelivery> {
  const event = await selectEvent(op, id)
  if (!event) throw new ApiError('EVENT_NOT_FOUND', { details: { field } })
  return event
}

/** Finds the feed position of a reader that has seen this event. */
async function findPosition(op: Op, after: string): Promise<FeedPosition> {
  return after === FEED_BEGINNING ? BEGINNING : findEvent(op, after, 'after')
}

/** An event with its latest stored attempts. */
async function readEventDetails(op: Op, event: EventWithDelivery, nextAttemptAt?: Date) {
  const [attempts, receipts, dueAt] = await Promise.all([
    selectAttempts(op, event.id, ATTEMPTS_SHOWN_MAX),
    selectReceipts(op, event),
    nextAttemptAt ?? selectNextAttemptAt(op, event.id),
  ])
  const deliveryAttempts = numberAttempts(attempts, receipts).slice(-ATTEMPTS_SHOWN_MAX)
  const isRetried = event.status === PENDING_STATUS && deliveryAttempts.length > 0
  return {
    ...toEventView(event),
    ...(isRetried && dueAt ? { nextAttemptAt: dueAt.toISOString() } : {}),
    deliveryAttempts,
  }
}

/** Numbers all attempts, earliest first. Stored numbers count only the attempts that have a row. */
function numberAttempts(rows: readonly WebhookAttemptRow[], receipts: readonly ReceiptAttempt[]) {
  const storedAttempts = rows.map((row) => ({
    ...row,
    attempt: row.attempt + receipts.filter(({ created_at }) => created_at <= row.created_at).length,
  }))
  const receiptAttempts = receipts.map((receipt, index) => ({
    ...receipt,
    answer: null,
    error: null,
    attempt:
      1 +
      index +
      Math.max(0, ...rows.flatMap((row) => (row.created_at < receipt.created_at ? [row.attempt] : []))),
  }))
  return [...storedAttempts, ...receiptAttempts]
    .sort((one, other) => one.attempt - other.attempt)
    .map(toAttemptView)
}

function toAttemptView(
  row: Pick<
    WebhookAttemptRow,
    'attempt' | 'url' | 'created_at' | 'duration_ms' | 'status' | 'answer' | 'error'
  >,
) {
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
