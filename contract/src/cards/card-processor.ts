import { Type } from 'typebox'
import { endpoint, KIB } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id } from '../core/ids.ts'
import { Int64, OneOf, OneOfWords, Tag, Text } from '../core/schema.ts'
import { CARD_TRANSACTION_STATES } from '../core/states.ts'
import { CardMerchant } from './cards.ts'

/**
 * What a card's processor sends, and what it is answered. It is no part of the API, and so not in `API` of `api.ts`: the
 * caller is not a platform, and proves itself by a signature over the body.
 */

/** Why a card does not pay; each is the code of a 403 where a caller of the API is told. */
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
const eventId = Text(255, { description: 'Tells this one from others of the same purchase' })

/** May it be paid? Asked again with the same token, the answer is the same. */
export const CardAuthorizationEvent = Type.Object({
  kind: Tag('authorization'),
  ...shared,
  amount: Int64({ exclusiveMinimum: 0, description: 'Smallest unit of currency' }),
  currency: CurrencyCode,
  merchant: CardMerchant,
  declined: Type.Optional(OneOfWords(DECLINE_REASONS, 'The processor has declined it already')),
})

/** The merchant claims an amount; 0: nothing more. One that was never authorized brings its merchant. */
export const CardClearingEvent = Type.Object({
  kind: Tag('clearing'),
  ...shared,
  eventId,
  amount: Int64({ minimum: 0, description: 'Smallest unit of the currency of the card' }),
  currency: Type.Optional(CurrencyCode),
  merchant: Type.Optional(CardMerchant),
})

/** The merchant gives an amount back. */
export const CardReturnEvent = Type.Object({
  kind: Tag('return'),
  ...shared,
  eventId,
  amount: Int64({ exclusiveMinimum: 0 }),
})

export const CardProcessorEvent = OneOf('kind', [CardAuthorizationEvent, CardClearingEvent, CardReturnEvent])

/** Approved, or declined with the reason; `TIMEOUT` where that was not decided in time. */
export const CardAuthorizationAnswer = Type.Union([
  Type.Object({ approved: Type.Literal(true), cardTransactionId: Id('CardTransaction') }),
  Type.Object({ approved: Type.Literal(false), reason: OneOfWords([...DECLINE_REASONS, 'TIMEOUT']) }),
])

/** What has become of a purchase by a claim or a return. */
export const CardMovementAnswer = Type.Object({
  cardTransactionId: Id('CardTransaction'),
  status: OneOfWords(CARD_TRANSACTION_STATES),
})

/**
 * The processor asks before a card pays, and tells of what merchants claim and give back, of what was never authorized as
 * well. Without a processor the route is not there. `CONFLICT`: the token or event was something else before.
 */
export const card_processor_event = endpoint({
  auth: 'cardProcessor',
  method: 'POST',
  path: '/card-processor/events',
  tag: 'Card processor',
  summary: 'Tell of the use of a card',
  body: CardProcessorEvent,
  bodyBytesMax: 64 * KIB,
  responses: { 200: Type.Union([CardAuthorizationAnswer, CardMovementAnswer]) },
  errors: [
    'INVALID_SIGNATURE',
    'INVALID_INPUT',
    'AMOUNT_OUT_OF_RANGE',
    'CARD_NOT_FOUND',
    'CARD_TRANSACTION_NOT_FOUND',
    'CONFLICT',
    'INVALID_STATE_TRANSITION',
  ],
})
