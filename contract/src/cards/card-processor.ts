import { Type } from 'typebox'
import { CurrencyCode } from '../core/formats.ts'
import { Int64, OneOf, OneOfWords, Tag, Text } from '../core/schema.ts'
import { CardMerchant } from './cards.ts'

/**
 * What a card's processor sends to `POST /card-processor/events`, and what it is answered. It is no part of the API: the
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
