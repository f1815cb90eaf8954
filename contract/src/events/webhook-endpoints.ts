import { Type } from 'typebox'
import { endpoint, KIB } from '../core/endpoint.ts'
import { HttpUrl } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { NullableArray, NullableText, OneOfWords, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { Plain, Secret } from '../core/sensitivity.ts'
import { DISABLED_REASONS, WEBHOOK_ENDPOINT_STATES } from '../states/delivery-states.ts'
import { EVENT_TYPES } from './events.ts'

/** Maximum number of endpoints in addition to the `webhookEndpoint` of the configuration. */
export const WEBHOOK_ENDPOINTS_MAX = 20

export const WEBHOOK_PAYLOADS = ['FULL', 'THIN'] as const

const Payload = OneOfWords(
  WEBHOOK_PAYLOADS,
  'FULL: events contain the record as data. THIN: events have no data; read the record by its objectId',
)

const ONE_OR_MORE = { minItems: 1, maxItems: EVENT_TYPES.length, uniqueItems: true }

function buildEventTypesSchema(description: string) {
  return Type.Array(OneOfWords(EVENT_TYPES), { ...ONE_OR_MORE, description })
}

const Description = Plain(Text(255, { description: 'A note for people' }))

const LATEST_BALANCE_ONLY =
  'True: if several INTERNAL_ACCOUNT.BALANCE_UPDATED events of one account wait for delivery, only the latest is sent'

/** The number of events that an endpoint has not received, and its last failure. */
export const WebhookEndpointHealth = Type.Object({
  oldestUndeliveredAt: Type.Optional(
    Timestamp(
      'The time of the oldest event that the endpoint has not received. Absent if it has received all',
    ),
  ),
  retrying: Type.Integer({
    minimum: 0,
    description: 'Events that are being retried, and later events of the same records, which wait',
  }),
  failed: Type.Integer({ minimum: 0, description: 'Events that failed permanently after 7 days of retries' }),
  failingSince: Type.Optional(
    Timestamp('The time since which no event was received. After 7 days, the endpoint is disabled'),
  ),
  lastDeliveredAt: Type.Optional(Timestamp()),
  lastFailure: Type.Optional(
    Plain(
      Type.String({
        description: 'The status of the last response that was not 2xx, or TIMEOUT, ECONNREFUSED, …',
      }),
    ),
  ),
})

/** A receiver of events in addition to the `webhookEndpoint` of the configuration. */
export const WebhookEndpoint = Type.Object({
  id: Id('WebhookEndpoint'),
  url: HttpUrl,
  description: Type.Optional(Description),
  eventTypes: Type.Optional(buildEventTypesSchema('Absent: all types')),
  payload: Payload,
  latestBalanceOnly: Type.Boolean({ description: LATEST_BALANCE_ONLY }),
  status: OneOfWords(
    WEBHOOK_ENDPOINT_STATES,
    'PAUSED: you paused it. DISABLED: the server stopped sending to it; see disabledReason',
  ),
  disabledReason: Type.Optional(
    OneOfWords(DISABLED_REASONS, 'GONE: it responded 410. UNREACHABLE: it received nothing for 7 days'),
  ),
  health: WebhookEndpointHealth,
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

/** A new endpoint, with the secret with which its deliveries are signed. */
export const NewWebhookEndpoint = Type.Object({
  ...WebhookEndpoint.properties,
  secret: Secret(Type.String({ description: 'whsec_ and the base64 of 32 bytes' })),
})

export const WebhookEndpointCreateRequest = Type.Object({
  url: HttpUrl,
  description: Type.Optional(Description),
  eventTypes: Type.Optional(
    buildEventTypesSchema('Default: all types, including new types of later releases'),
  ),
  payload: Type.Optional(Payload),
  latestBalanceOnly: Type.Optional(Type.Boolean({ default: false, description: LATEST_BALANCE_ONLY })),
})

export const WebhookEndpointUpdateRequest = Type.Object({
  url: Type.Optional(HttpUrl),
  description: Type.Optional(NullableText(Description, { description: 'null removes it' })),
  eventTypes: Type.Optional(
    NullableArray(OneOfWords(EVENT_TYPES), {
      ...ONE_OR_MORE,
      description: 'Replaces the list. null: all types',
    }),
  ),
  payload: Type.Optional(Payload),
  latestBalanceOnly: Type.Optional(Type.Boolean({ description: LATEST_BALANCE_ONLY })),
  status: Type.Optional(
    OneOfWords(['ENABLED', 'PAUSED'], 'ENABLED continues with the first event that was not received'),
  ),
})

/** An event that an endpoint has not received. */
export const WebhookEndpointFailure = Type.Object({
  eventId: Id('Event'),
  objectId: Type.String({ description: 'The record that changed' }),
  status: OneOfWords(
    ['RETRYING', 'WAITING', 'FAILED'],
    'WAITING: an earlier event of the same record must be received first. FAILED: no more attempts',
  ),
  attempts: Type.Integer({ minimum: 0 }),
  lastFailure: Type.Optional(Plain(Type.String({ description: "As in the endpoint's health" }))),
  nextAttemptAt: Type.Optional(Timestamp()),
})

const endpointPath = Type.Object({ webhookEndpointId: PathId })
const tag = 'Events and webhooks'

export const webhook_endpoint_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/webhook-endpoints',
  tag,
  summary: 'Add a webhook endpoint',
  description:
    'Sends new events to this URL too, in order per record, signed with its own secret. A platform has ' +
    `at most ${WEBHOOK_ENDPOINTS_MAX} next to the webhookEndpoint of its configuration, the only ` +
    'endpoint whose responses decide incoming payments. Takes no Idempotency-Key: a stored response ' +
    'would contain the secret.',
  bodyBytesMax: 16 * KIB,
  body: WebhookEndpointCreateRequest,
  responses: { 201: NewWebhookEndpoint },
  errors: ['INVALID_INPUT', 'WEBHOOK_ENDPOINT_LIMIT_REACHED'],
})

export const webhook_endpoint_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/webhook-endpoints',
  tag,
  summary: 'List the webhook endpoints',
  description:
    'Lists the added endpoints with their backlog, oldest first. The webhookEndpoint of the ' +
    'configuration is not included.',
  responses: { 200: Type.Object({ data: Type.Array(WebhookEndpoint) }) },
  errors: [],
})

export const webhook_endpoint_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/webhook-endpoints/{webhookEndpointId}',
  tag,
  summary: 'Read a webhook endpoint',
  description: 'Shows one endpoint and its backlog. GET /webhook-secrets shows its secret.',
  params: endpointPath,
  responses: { 200: WebhookEndpoint },
  errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
})

export const webhook_endpoint_update = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'PATCH',
  path: '/webhook-endpoints/{webhookEndpointId}',
  tag,
  summary: 'Change, pause or resume a webhook endpoint',
  description:
    'Changes the event types, the URL or the state. A paused endpoint receives nothing; once enabled, it ' +
    'receives the events that occurred in the meantime, in order. ENABLED also resumes an endpoint that ' +
    'the server has disabled.',
  params: endpointPath,
  bodyBytesMax: 16 * KIB,
  body: WebhookEndpointUpdateRequest,
  responses: { 200: WebhookEndpoint },
  errors: ['INVALID_INPUT', 'WEBHOOK_ENDPOINT_NOT_FOUND'],
})

export const webhook_endpoint_delete = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'DELETE',
  path: '/webhook-endpoints/{webhookEndpointId}',
  tag,
  summary: 'Delete a webhook endpoint',
  description: 'Stops deliveries to the endpoint. A request in progress may still arrive.',
  params: endpointPath,
  responses: { 204: null },
  errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
})

export const WebhookEndpointReplayRequest = Type.Object({
  startDate: Timestamp('Events that occurred at or after this time are sent. The current time skips all'),
})

export const webhook_endpoint_replay = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/webhook-endpoints/{webhookEndpointId}/replay',
  tag,
  summary: 'Send events again from a given time',
  description:
    'Continues from the given time: later events are sent again, under the same ids, and earlier ones ' +
    'that were not received are skipped.',
  params: endpointPath,
  body: WebhookEndpointReplayRequest,
  responses: { 200: WebhookEndpoint },
  errors: ['INVALID_INPUT', 'WEBHOOK_ENDPOINT_NOT_FOUND'],
})

export const webhook_endpoint_failure_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/webhook-endpoints/{webhookEndpointId}/failures',
  tag,
  summary: 'List the events that an endpoint has not received',
  description:
    'Lists events that are being retried, events that wait for them, and events that failed permanently, oldest first.',
  params: endpointPath,
  query: Type.Object({ ...pageQuery }),
  responses: { 200: Page(WebhookEndpointFailure) },
  errors: ['INVALID_INPUT', 'WEBHOOK_ENDPOINT_NOT_FOUND'],
})

export const webhookEndpoints = {
  webhook_endpoint_create,
  webhook_endpoint_list,
  webhook_endpoint_get,
  webhook_endpoint_update,
  webhook_endpoint_delete,
  webhook_endpoint_replay,
  webhook_endpoint_failure_list,
}
