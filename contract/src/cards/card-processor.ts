import { Type } from 'typebox'
import { endpoint, KIB } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id } from '../core/ids.ts'
import { Int64, OneOf, OneOfWords, Tag, Text } from '../core/schema.ts'
import { CARD_TRANSACTION_STATES } from '../states/card-states.ts'
import { CardMerchant } from './cards.ts'

/**
 * The messages of a card's processor, and our responses. They are not part of the API, so they are not in
 * `API` of `api.ts`: the caller is not a platform, and authenticates by a signature over the body.
 */

/** The reasons of a decline. Each is the code of the 403 that a caller of the API gets. */
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
const eventId = Text(255, { description: 'Distinguishes it from other events of the same purchase' })

/** A request for an authorization. A repeated request with the same token gets the same response. */
export const CardAuthorizationEvent = Type.Object({
  kind: Tag('authorization'),
  ...shared,
  amount: Int64({ exclusiveMinimum: 0, description: 'Smallest unit of currency' }),
  currency: CurrencyCode,
  merchant: CardMerchant,
  declined: Type.Optional(OneOfWords(DECLINE_REASONS, 'True if the processor has already declined it')),
})

/** The merchant claims an amount; 0 means nothing more. A claim without an authorization names its merchant. */
export const CardClearingEvent = Type.Object({
  kind: Tag('clearing'),
  ...shared,
  eventId,
  amount: Int64({ minimum: 0, description: 'Smallest unit of the currency of the card' }),
  currency: Type.Optional(CurrencyCode),
  merchant: Type.Optional(CardMerchant),
})

/** The merchant returns an amount. */
export const CardReturnEvent = Type.Object({
  kind: Tag('return'),
  ...shared,
  eventId,
  amount: Int64({ exclusiveMinimum: 0 }),
})

export const CardProcessorEvent = OneOf('kind', [CardAuthorizationEvent, CardClearingEvent, CardReturnEvent])

/** Approved, or declined with the reason; `TIMEOUT` if the decision came too late. */
export const CardAuthorizationAnswer = Type.Union([
  Type.Object({ approved: Type.Literal(true), cardTransactionId: Id('CardTransaction') }),
  Type.Object({ approved: Type.Literal(false), reason: OneOfWords([...DECLINE_REASONS, 'TIMEOUT']) }),
])

/** The state of a purchase after a claim or a return. */
export const CardMovementAnswer = Type.Object({
  cardTransactionId: Id('CardTransaction'),
  status: OneOfWords(CARD_TRANSACTION_STATES),
})

/**
 * The processor requests authorizations, and reports claims and returns of merchants, also without an
 * authorization. Without a processor the route does not exist. `PROCESSOR_EVENT_REUSED`: the token or event
 * was used before with other content.
 */
export const card_processor_event = endpoint({
  auth: 'cardProcessor',
  method: 'POST',
  path: '/card-processor/events',
  tag: 'Card processor',
  summary: 'Report the use of a card',
  body: CardProcessorEvent,
  bodyBytesMax: 64 * KIB,
  responses: { 200: Type.Union([CardAuthorizationAnswer, CardMovementAnswer]) },
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
