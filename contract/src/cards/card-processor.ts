import { Type } from 'typebox'
import { endpoint, KIB } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id } from '../core/ids.ts'
import { Int64, OneOf, OneOfWords, Tag, Text } from '../core/schema.ts'
import { CARD_TRANSACTION_STATES } from '../states/card-states.ts'
import { CardMerchant } from './cards.ts'

/**
 * The messages of a card processor and our responses. They are not in `API` of `api.ts`, because the caller
 * is not a platform and authenticates with a signature over the body.
 */

/** Reasons for a decline. Each is also the error code of the 403 that API callers get. */
export const DECLINE_REASONS = [
  'CARD_PAUSED',
  'CARD_CLOSED',
  'CARD_NOT_ACTIVE',
  'CARD_CURRENCY_MISMATCH',
  'CARD_INSUFFICIENT_FUNDS',
] as const

const shared = {
  processorRef: Text(255, { description: "The processor's own id of the card" }),
  token: Text(255, { description: "The issuer's id of the purchase" }),
}
const eventId = Text(255, { description: 'Distinguishes the event from others of the same purchase' })

/** An authorization request. A repeated request with the same token gets the same response. */
export const CardAuthorizationEvent = Type.Object({
  kind: Tag('authorization'),
  ...shared,
  amount: Int64({ exclusiveMinimum: 0, description: 'In the smallest unit of currency' }),
  currency: CurrencyCode,
  merchant: CardMerchant,
  declined: Type.Optional(OneOfWords(DECLINE_REASONS, 'Set if the processor has already declined it')),
})

/**
 * The merchant claims an amount; 0 means that nothing more will be claimed. A claim without an authorization
 * names its merchant.
 */
export const CardClearingEvent = Type.Object({
  kind: Tag('clearing'),
  ...shared,
  eventId,
  amount: Int64({ minimum: 0, description: "In the smallest unit of the card's currency" }),
  currency: Type.Optional(CurrencyCode),
  merchant: Type.Optional(CardMerchant),
})

/** The merchant refunds an amount. */
export const CardReturnEvent = Type.Object({
  kind: Tag('return'),
  ...shared,
  eventId,
  amount: Int64({ exclusiveMinimum: 0 }),
})

export const CardProcessorEvent = OneOf('kind', [CardAuthorizationEvent, CardClearingEvent, CardReturnEvent])

/** Approved, or declined with a reason. `TIMEOUT` means that the decision was too late. */
export const CardAuthorizationResponse = Type.Union([
  Type.Object({ approved: Type.Literal(true), cardTransactionId: Id('CardTransaction') }),
  Type.Object({ approved: Type.Literal(false), reason: OneOfWords([...DECLINE_REASONS, 'TIMEOUT']) }),
])

/** The state of a purchase after a claim or a refund. */
export const CardMovementResponse = Type.Object({
  cardTransactionId: Id('CardTransaction'),
  status: OneOfWords(CARD_TRANSACTION_STATES),
})

/**
 * The processor requests authorizations, and reports merchants' claims and refunds, which may arrive without
 * an authorization. The route only exists if a processor is configured. `PROCESSOR_EVENT_REUSED`: the token
 * or event was already used with different content.
 */
export const card_processor_event = endpoint({
  auth: 'cardProcessor',
  method: 'POST',
  path: '/card-processor/events',
  tag: 'Card processor',
  summary: 'Report the use of a card',
  body: CardProcessorEvent,
  bodyBytesMax: 64 * KIB,
  responses: { 200: Type.Union([CardAuthorizationResponse, CardMovementResponse]) },
  errors: [
    'INVALID_SIGNATURE',
    'INVALID_INPUT',
    'AMOUNT_OUT_OF_RANGE',
    'CARD_NOT_FOUND',
    'CARD_TRANSACTION_NOT_FOUND',
    'PROCESSOR_EVENT_REUSED',
    'INVALID_STATE_TRANSITION',
  ],
})
