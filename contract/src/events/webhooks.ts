import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { JsonSchema } from '../core/decode.ts'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { OneOfWords, Page, Prose, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { CustomerInfoField } from '../customers/customer-info.ts'
import { FEED_BEGINNING } from './event-stream.ts'
import { EVENT_TYPES, EventEnvelope, type EventType } from './events.ts'
import {
  AccountChangeWebhook,
  AccountVerificationWebhook,
  AgentActionWebhook,
  BulkUploadWebhook,
  CardFundingSourceChangeWebhook,
  CardStateChangeWebhook,
  CredentialWebhook,
  CustomerErasedWebhook,
  CustomerWebhook,
  DepositWebhook,
  FundsHoldWebhook,
  IncomingPaymentApproval,
  IncomingPaymentWebhook,
  InternalAccountWebhook,
  InvitationWebhook,
  LedgerCheckpointWebhook,
  MemberRoleWebhook,
  MemberWorkWebhook,
  OutgoingPaymentWebhook,
  PaymentScheduleWebhook,
  PayoutBatchWebhook,
  PlatformWithdrawalWebhook,
  ReconciliationWebhook,
  ScreeningWebhook,
  TestWebhook,
  VerificationWebhook,
  WebhookEndpointWebhook,
} from './webhook-bodies.ts'

/** A kind of request to the platform's server. */
export interface Webhook {
  readonly summary: string
  readonly body: TObject
  /** The meaning of each response status of the platform. Any other status causes a retry. */
  readonly responses: Readonly<Record<number, { readonly description: string; readonly body?: TSchema }>>
}

const RECEIVED = {
  200: { description: 'Received. Any other 2xx has the same meaning' },
  409: { description: 'Already received. The event is not sent again' },
} as const

/** The webhooks of all event types, by name in the OpenAPI document. */
export const WEBHOOKS = {
  'outgoing-payment': {
    summary: 'The status of an outgoing payment has changed',
    body: OutgoingPaymentWebhook,
    responses: RECEIVED,
  },
  'incoming-payment': {
    summary: "An incoming payment has arrived, or needs the platform's approval",
    body: IncomingPaymentWebhook,
    responses: {
      ...RECEIVED,
      200: {
        description: 'Received; approves a PENDING payment',
        body: IncomingPaymentApproval,
      },
      202: {
        description: 'Received; the platform will approve or reject a PENDING payment with a call',
      },
      403: {
        description: 'Rejects a PENDING payment',
        body: Type.Object({ reason: Type.Optional(Prose(500)) }),
      },
      422: {
        description: 'Rejects a PENDING payment: information about the sender is missing',
        body: Type.Object({ requiredFields: Type.Optional(Type.Array(CustomerInfoField)) }),
      },
    },
  },
  'customer-update': {
    summary: "The status of a customer's identity check has changed",
    body: CustomerWebhook,
    responses: RECEIVED,
  },
  'customer-erased': {
    summary: 'The personal data of a deleted customer was erased',
    body: CustomerErasedWebhook,
    responses: RECEIVED,
  },
  'verification-update': {
    summary: 'The state of a verification has changed',
    body: VerificationWebhook,
    responses: RECEIVED,
  },
  'bulk-upload': {
    summary: 'A customer import has ended',
    body: BulkUploadWebhook,
    responses: RECEIVED,
  },
  'card-state-change': {
    summary: 'The state of a card has changed',
    body: CardStateChangeWebhook,
    responses: RECEIVED,
  },
  'card-funding-source-change': {
    summary: 'The funding sources of a card have changed',
    body: CardFundingSourceChangeWebhook,
    responses: RECEIVED,
  },
  'agent-action': {
    summary: "An agent's action is waiting for approval",
    body: AgentActionWebhook,
    responses: RECEIVED,
  },
  deposit: {
    summary: 'A deposit needs manual review, or was corrected, returned or reversed',
    body: DepositWebhook,
    responses: RECEIVED,
  },
  screening: {
    summary: 'A blockchain address is on a list, or its screening was decided',
    body: ScreeningWebhook,
    responses: RECEIVED,
  },
  reconciliation: {
    summary: 'A bank statement and the ledger differ',
    body: ReconciliationWebhook,
    responses: RECEIVED,
  },
  'ledger-checkpoint': {
    summary: 'A checkpoint of the ledger was signed',
    body: LedgerCheckpointWebhook,
    responses: RECEIVED,
  },
  'internal-account-status': {
    summary: 'The balance or the status of an account has changed',
    body: InternalAccountWebhook,
    responses: RECEIVED,
  },
  'invitation-claimed': {
    summary: 'An invitation was claimed',
    body: InvitationWebhook,
    responses: RECEIVED,
  },
  'auth-credential': {
    summary: 'A passkey may have been copied, or sign-in by code is locked',
    body: CredentialWebhook,
    responses: RECEIVED,
  },
  'payout-batch': {
    summary: 'A payout batch was checked, or completely sent',
    body: PayoutBatchWebhook,
    responses: RECEIVED,
  },
  'payment-schedule': {
    summary: 'A scheduled payment is due soon, was accepted, or was refused',
    body: PaymentScheduleWebhook,
    responses: RECEIVED,
  },
  'funds-hold': {
    summary: 'Pulled money is held, or its hold has ended',
    body: FundsHoldWebhook,
    responses: RECEIVED,
  },
  'platform-withdrawal': {
    summary: "A withdrawal of the operator's own money has changed",
    body: PlatformWithdrawalWebhook,
    responses: RECEIVED,
  },
  'account-change': {
    summary: 'A bank reports different details for an external account, or the change was decided',
    body: AccountChangeWebhook,
    responses: RECEIVED,
  },
  'account-verification': {
    summary: 'The verification of an external account by two deposits has changed its status',
    body: AccountVerificationWebhook,
    responses: RECEIVED,
  },
  'member-work': {
    summary: 'New work is waiting for a team member',
    body: MemberWorkWebhook,
    responses: RECEIVED,
  },
  'member-role': {
    summary: 'A role of team members was defined, changed or deleted',
    body: MemberRoleWebhook,
    responses: RECEIVED,
  },
  'webhook-endpoint': {
    summary: 'A webhook endpoint was disabled',
    body: WebhookEndpointWebhook,
    responses: RECEIVED,
  },
  'test-webhook': {
    summary: 'A test event that was requested with a call',
    body: TestWebhook,
    responses: RECEIVED,
  },
} as const satisfies Record<string, Webhook>

/** Returns the event types that a webhook delivers. */
export function eventTypesOf({ body }: Webhook): readonly EventType[] {
  const { enum: words = [] }: JsonSchema = body.properties.type ?? {}
  return EVENT_TYPES.filter((type) => words.includes(type))
}

/** Returns the schema of an event's data. Undefined if the type has no schema. */
export function findEventDataSchema(type: string): TSchema | undefined {
  const webhooks: readonly Webhook[] = Object.values(WEBHOOKS)
  const webhook = webhooks.find((candidate) => eventTypesOf(candidate).some((known) => known === type))
  return webhook?.body.properties.data
}

/** An event of any type. `type` determines its fields. */
export type WebhookEvent = {
  [Name in keyof typeof WEBHOOKS]: Static<(typeof WEBHOOKS)[Name]['body']>
}[keyof typeof WEBHOOKS]

export const DELIVERY_STATUSES = ['NONE', 'PENDING', 'DELIVERED', 'FAILED'] as const

const deliveryStatus = OneOfWords(
  DELIVERY_STATUSES,
  'NONE: the platform had no webhookEndpoint at that time. FAILED: no more attempts',
)

/** An event as in the feed. */
export const PlatformEvent = Type.Object({ ...EventEnvelope.properties, deliveryStatus })

/** An attempt to deliver an event. */
export const DeliveryAttempt = Type.Object({
  attempt: Type.Integer({ minimum: 1, description: 'The number of the attempt' }),
  url: Type.String({ description: 'The webhookEndpoint at that time' }),
  startedAt: Timestamp("By the platform's clock"),
  durationMs: Type.Integer({ minimum: 0 }),
  responseStatus: Type.Optional(Type.Integer({ description: 'Absent if there was no response' })),
  responseBody: Type.Optional(Type.String({ description: 'The first 1,024 bytes, as text' })),
  error: Type.Optional(
    Type.String({ description: 'The reason if there was no response: TIMEOUT, ECONNREFUSED, …' }),
  ),
})

export const PlatformEventWithAttempts = Type.Object({
  ...PlatformEvent.properties,
  nextAttemptAt: Type.Optional(Timestamp('Present while it is being retried')),
  deliveryAttempts: Type.Array(DeliveryAttempt, { description: 'The last 100 attempts, oldest first' }),
})

export const event_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/events',
  tag: 'Events and webhooks',
  summary: 'List events',
  description:
    'Lists all events, delivered or not, in the order in which they became final, oldest first. An event ' +
    'can appear a moment after the change that it reports, but never before one that was already shown. ' +
    'Use after to read only new events.',
  query: Type.Object({
    type: Type.Optional(OneOfWords(EVENT_TYPES)),
    objectId: Type.Optional(Text(255, { description: 'The record that changed' })),
    deliveryStatus: Type.Optional(deliveryStatus),
    after: Type.Optional(Id('Event', `Only events after this one. ${FEED_BEGINNING}: all`)),
    startDate: Type.Optional(Timestamp('Occurred at or after')),
    endDate: Type.Optional(Timestamp('Occurred at or before')),
    ...pageQuery,
    sortOrder: Type.Optional(
      Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'], default: 'asc' }),
    ),
  }),
  responses: { 200: Page(PlatformEvent) },
  errors: ['INVALID_INPUT', 'EVENT_NOT_FOUND'],
})

export const event_csv = fileOfList(event_list, 'events')

const eventPath = Type.Object({ eventId: PathId })

export const event_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/events/{eventId}',
  tag: 'Events and webhooks',
  summary: 'Read an event and its delivery attempts',
  description:
    'Shows one event with its body, and each delivery attempt with its time and response, and the time ' +
    'of the next one.',
  params: eventPath,
  responses: { 200: PlatformEventWithAttempts },
  errors: ['EVENT_NOT_FOUND'],
})

/**
 * Redelivers an event that was delivered, failed or never sent. If it is already being retried, the next
 * attempt is made immediately.
 */
export const event_redeliver = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/events/{eventId}/redeliver',
  tag: 'Events and webhooks',
  summary: 'Deliver an event again',
  description:
    'Sends an event again, under the same id, with retries for 7 days from now, without waiting for ' +
    'other events. An event that is still being retried is attempted immediately, in its order.',
  idempotent: true,
  params: eventPath,
  responses: { 200: PlatformEventWithAttempts },
  errors: ['EVENT_NOT_FOUND', 'WEBHOOK_ENDPOINT_NOT_SET'],
})

/** The result of a test. Clients depend on these fields. */
export const WebhookTestResult = Type.Object({
  url: Type.String({ format: 'uri', description: 'The URL of the webhookEndpoint' }),
  response_status: Type.Integer({ description: 'The HTTP status; 0 if there was no response' }),
  response_body: Type.Optional(Type.String({ description: 'At most 64 KiB, as text' })),
  error: Type.Optional(
    Type.String({ description: 'The reason if there was no response: TIMEOUT, ECONNREFUSED, …' }),
  ),
  event_id: Id('Event', 'The TEST event that was sent'),
})

export const sandbox_webhook_test = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/sandbox/webhooks/test',
  tag: 'Sandbox',
  summary: 'Send a test to the webhook endpoint',
  description:
    'Sends a TEST event to the webhook endpoint once, waits up to 10 seconds for the response, and ' +
    'returns it.',
  sandboxOnly: true,
  responses: { 200: WebhookTestResult },
  errors: ['WEBHOOK_ENDPOINT_NOT_SET'],
})

export const webhooks = {
  event_list,
  event_csv,
  event_get,
  event_redeliver,
  sandbox_webhook_test,
}
