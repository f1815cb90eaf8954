import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id } from '../core/ids.ts'
import { OneOfWords, Timestamp } from '../core/schema.ts'
import { EVENT_TYPES } from './events.ts'

/** Maximum number of open streams per platform in one process. */
export const EVENT_STREAMS_MAX = 100

/** The header with which a browser's EventSource resumes. */
export const LAST_EVENT_ID = 'Last-Event-ID'

/** The position before the first event of any feed. */
export const FEED_BEGINNING = 'Event:00000000-0000-0000-0000-000000000000'

/** Several event types, given by repeating the parameter. */
export const EventTypes = Type.Array(OneOfWords(EVENT_TYPES), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  description: 'Default: all types',
})

/**
 * The live feed, as server-sent events. Each message has the event's id and type, and the event itself as in
 * `event_list`.
 */
export const event_stream = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/events/stream',
  tag: 'Events and webhooks',
  summary: 'Follow events as they happen',
  description:
    'Keeps the connection open and sends each event once it is final, as server-sent events ' +
    '(text/event-stream): id is the id of the event, event its type, and data the event as in the list. ' +
    'After a broken connection, the header Last-Event-ID or the parameter after resumes behind the last ' +
    'received event, so that none is missed. Without either, the stream begins with the next event. A ' +
    'comment every 15 seconds keeps the connection open. It ends when the credentials do. A platform may ' +
    `have ${EVENT_STREAMS_MAX} streams in a process; then a caller with fewer gets one from the caller ` +
    'with the most. All tokens of a member are one caller with it.',
  query: Type.Object({
    after: Type.Optional(
      Id('Event', `Only events after this one, including events before the call. ${FEED_BEGINNING}: all`),
    ),
    types: Type.Optional(EventTypes),
    latestOnly: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'True: sends at most once a second, and only the latest event of each type. For pages that reload changed records',
      }),
    ),
  }),
  responses: { 200: null },
  texts: ['sse'],
  errors: ['INVALID_INPUT', 'EVENT_NOT_FOUND', 'RATE_LIMITED'],
})

export const EventReplayRequest = Type.Object({
  startDate: Timestamp('Occurred at or after'),
  endDate: Type.Optional(Timestamp('Occurred at or before. Default: now')),
  types: Type.Optional(EventTypes),
  countOnly: Type.Optional(
    Type.Boolean({ description: 'True: counts the events and sends none, for a confirmation dialog' }),
  ),
})

/** Redelivers past events, such as those missed during an outage of the platform's server. */
export const event_replay = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/events/replay',
  tag: 'Events and webhooks',
  summary: 'Redeliver past events',
  description:
    'Sends the events of a period again, each under its own id, one after the other in the order of the feed. A failed ' +
    'delivery is retried automatically for seven days and does not hold up the next one. Events that are still being ' +
    'retried are skipped. One replay at a time; the response has the number of events.',
  idempotent: true,
  body: EventReplayRequest,
  responses: { 202: Type.Object({ events: Type.Integer({ minimum: 0 }) }) },
  errors: ['INVALID_INPUT', 'WEBHOOK_ENDPOINT_NOT_SET', 'REPLAY_IN_PROGRESS'],
})

export const eventStream = { event_stream, event_replay }
