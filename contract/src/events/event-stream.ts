import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id } from '../core/ids.ts'
import { OneOfWords, Timestamp } from '../core/schema.ts'
import { EVENT_TYPES } from './events.ts'

/** The most streams of a platform that one process keeps open. */
export const EVENT_STREAMS_MAX = 100

/** The header by which a browser's EventSource says where to go on. */
export const LAST_EVENT_ID = 'Last-Event-ID'

/** Stands before the first event of every feed: after it come all events. */
export const FEED_BEGINNING = 'Event:00000000-0000-0000-0000-000000000000'

/** Several types of events: the name is repeated for each. */
export const EventTypes = Type.Array(OneOfWords(EVENT_TYPES), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  description: 'Left out: all types',
})

/** The feed as it grows, by server-sent events. Each has the id and the type of its event, and the event as `event_list` shows it. */
export const event_stream = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/events/stream',
  tag: 'Events and webhooks',
  summary: 'Follow events as they happen',
  description:
    'Keeps the connection open and sends each event once it is final, as server-sent events (text/event-stream): ' +
    'id is the id of the event, event its type, data the event as the list shows it. After a broken connection ' +
    'the header Last-Event-ID, or after, goes on behind the last event that arrived, so that none is missed; ' +
    'without either the stream begins with what happens next. A comment every 15 seconds shows that the ' +
    `connection lives. It ends when the credentials do. A platform may have ${EVENT_STREAMS_MAX} streams in a process; then a caller ` +
    'with fewer gets one from the caller with the most. All tokens of a member are one caller with it.',
  query: Type.Object({
    after: Type.Optional(
      Id('Event', `Only events after this one, those of before the call too. ${FEED_BEGINNING}: all`),
    ),
    types: Type.Optional(EventTypes),
    latestOnly: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Sends at most once a second, and of each type the latest event alone: for pages that read again what has changed',
      }),
    ),
  }),
  responses: { 200: null },
  texts: ['sse'],
  errors: ['INVALID_INPUT', 'EVENT_NOT_FOUND', 'RATE_LIMITED'],
})

export const EventReplayRequest = Type.Object({
  startDate: Timestamp('Occurred at or after'),
  endDate: Type.Optional(Timestamp('Occurred at or before. Left out: now')),
  types: Type.Optional(EventTypes),
})

/** Delivers the events of a span of time again, such as that of an outage of the platform's server. */
export const event_replay = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/events/replay',
  tag: 'Events and webhooks',
  summary: 'Deliver events again from a moment on',
  description:
    'Sends the events of a span of time again, each under its own id, one after the other in the order of the feed. One ' +
    'that is not received is retried by itself for seven days, and the next one goes on. Events that are still being ' +
    'retried are left to that. One replay at a time; the answer says how many events it has.',
  idempotent: true,
  body: EventReplayRequest,
  responses: { 202: Type.Object({ events: Type.Integer({ minimum: 0 }) }) },
  errors: ['INVALID_INPUT', 'WEBHOOK_ENDPOINT_NOT_SET', 'REPLAY_IN_PROGRESS'],
})

export const eventStream = { event_stream, event_replay }
