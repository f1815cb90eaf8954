import { Type } from 'typebox'
import { Currency, CurrencyAmount, type KnownCurrency } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { CountryCode, CurrencyCode } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { NamedPage, namesQuery } from '../core/record-names.ts'
import { Int64, OneOfWords, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { Personal, Secret } from '../core/sensitivity.ts'
import { SignedRequestChallenge } from '../core/signed-retry.ts'
import { CLOSED_BY_SVC } from '../core/wire-word.ts'
import { TRANSACTION_DIRECTIONS } from '../payments/transactions.ts'
import { CARD_STATES, CARD_TRANSACTION_STATES } from '../states/card-states.ts'

export const CARD_STATE_REASONS = ['ISSUER_REJECTED', 'CLOSED_BY_PLATFORM', CLOSED_BY_SVC] as const
export const CARD_BRANDS = ['VISA', 'MASTERCARD'] as const
export const CARD_FORMS = ['VIRTUAL'] as const
/** States to which a cardholder can change a card. */
export const CARD_UPDATE_STATES = ['ACTIVE', 'FROZEN', 'CLOSED'] as const

/**
 * Maps the currency of a funding source to the card's currency. All funding sources must give the same one. A
 * dollar stablecoin funds a USD card one to one.
 */
export const CARD_CURRENCY_OF = {
  USD: 'USD',
  EUR: 'EUR',
  GBP: 'GBP',
  USDB: 'USD',
  USDC: 'USD',
  USDT: 'USD',
} as const satisfies { readonly [Source in KnownCurrency]?: KnownCurrency }

/** An authorization expires if it is not cleared within this time. */
export const AUTHORIZATION_SECONDS = 7 * 24 * 3600

const FUNDING_SOURCES_MAX = 20

const FundingSources = (description: string) =>
  Type.Array(Id('InternalAccount'), { minItems: 1, maxItems: FUNDING_SOURCES_MAX, description })

export const CardState = OneOfWords(CARD_STATES)

/** A freeze by the platform, for safety. It is separate from the cardholder's own freeze. */
export const PlatformFreeze = Type.Object({
  frozenAt: Timestamp(),
  cardholderMayLift: Type.Boolean({
    description:
      'True: the cardholder may set the card to ACTIVE with a signature. False: only the platform can lift the freeze',
  }),
  reason: Type.Optional(Text(500, { description: "Not visible to customers' tokens" })),
})

/**
 * A debit card funded by a customer's own accounts (specification 2.10). Only the processor knows its
 * number.
 */
export const Card = Type.Object({
  id: Id('Card'),
  cardholderId: Id('Customer'),
  platformCardId: Text(255),
  state: CardState,
  stateReason: Type.Unsafe<(typeof CARD_STATE_REASONS)[number] | null>({
    anyOf: [OneOfWords(CARD_STATE_REASONS), { type: 'null' }],
    description: 'The reason why the card is CLOSED, else null',
  }),
  brand: Type.Optional(Personal(OneOfWords(CARD_BRANDS))),
  form: OneOfWords(CARD_FORMS),
  last4: Type.Optional(Type.String({ pattern: '^[0-9]{4}$' })),
  expMonth: Type.Optional(Personal(Type.Integer({ minimum: 1, maximum: 12 }))),
  expYear: Type.Optional(Personal(Type.Integer({ minimum: 2000, maximum: 9999 }))),
  panEmbedUrl: Type.Optional(
    Secret(
      Type.String({
        format: 'uri',
        description: "The processor's page with number, code and expiry, to show in an iframe",
      }),
    ),
  ),
  fundingSources: Type.Array(Id('InternalAccount'), { description: 'In the order in which they are used' }),
  currency: CurrencyCode,
  platformFreeze: Type.Optional(PlatformFreeze),
  processorRef: Type.Optional(Text(255)),
  issuerRef: Type.Optional(Text(255)),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

export const CardCreateRequest = Type.Object({
  cardholderId: Id('Customer'),
  platformCardId: Type.Optional(Text(255, { description: "The platform's own id. Default: generated" })),
  form: OneOfWords(CARD_FORMS),
  fundingSources: FundingSources(
    "The cardholder's accounts, in the order in which to try them. All must fund the same card currency: dollar stablecoins fund a USD card",
  ),
})

export const CardUpdateRequest = Type.Object({
  state: Type.Optional(OneOfWords(CARD_UPDATE_STATES)),
  fundingSources: Type.Optional(FundingSources('Replaces the list. Not allowed together with CLOSED')),
})

export const CardFreezeRequest = Type.Object({
  reason: Text(500, { description: 'For your team. Customers do not see it' }),
  cardholderMayLift: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'True: the cardholder may lift the freeze with a signature',
    }),
  ),
})

export const CardFreezeLiftRequest = Type.Object({
  reason: Text(500, { description: 'Kept in the audit trail' }),
})

/** The merchant as reported by the card network. */
export const CardMerchant = Type.Object({
  descriptor: Text(255),
  mcc: Type.Optional(
    Type.String({
      pattern: '^[0-9]{4}$',
      patternText: 'a merchant category code of four digits',
      description: 'Merchant category code, ISO 18245',
    }),
  ),
  country: Type.Optional(CountryCode),
})

const count = Type.Integer({ minimum: 0 })
const totalAmount = Int64({ minimum: 0, description: "In the smallest unit of the card's currency" })

/** Amounts pulled from the funding source. */
export const CardPullSummary = Type.Object({
  count,
  totalAmount: Int64({
    minimum: 0,
    description: 'In the smallest unit of the currency of accountId, possibly a stablecoin',
  }),
  currency: Type.Optional(Currency),
  pendingCount: Type.Optional(count),
})

/** Amounts refunded by the merchant. */
export const CardRefundSummary = Type.Object({ count, totalAmount })

/** Amounts claimed by the merchant. */
export const CardSettlementSummary = Type.Object({ count, totalAmount })

/** A purchase, from its authorization to its refunds. */
export const CardTransaction = Type.Object({
  id: Id('CardTransaction'),
  cardId: Id('Card'),
  issuerTransactionToken: Type.Optional(
    Secret(Text(255, { description: "The issuer's id of the purchase" })),
  ),
  status: OneOfWords(CARD_TRANSACTION_STATES),
  direction: OneOfWords(TRANSACTION_DIRECTIONS),
  merchant: CardMerchant,
  authorizedAmount: CurrencyAmount,
  settledAmount: Type.Optional(CurrencyAmount),
  refundedAmount: Type.Optional(CurrencyAmount),
  accountId: Id('InternalAccount', 'The funding source that pays'),
  pullSummary: CardPullSummary,
  refundSummary: CardRefundSummary,
  settlementSummary: CardSettlementSummary,
  authorizedAt: Timestamp(),
  lastEventAt: Type.Optional(Timestamp()),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

const cardPath = Type.Object({ id: PathId })
const tag = 'Cards'

const sortOrder = Type.Optional(
  Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
)

/**
 * Requests a card from the processor after the cardholder check. The card is PROCESSING until the processor
 * has issued it.
 */
export const card_create = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/cards',
  tag,
  summary: 'Issue a card',
  description:
    "Orders a card that is funded by a customer's accounts. The card is PROCESSING until the processor " +
    "has issued it; CARD.STATE_CHANGE reports when it is ACTIVE. While the customer's verification is " +
    'pending, the card is PENDING_KYC; then it is PROCESSING, or CLOSED if the customer was rejected. ' +
    'Its funding sources determine its currency; dollar stablecoins fund a USD card one to one.',
  idempotent: true,
  body: CardCreateRequest,
  responses: { 201: Card },
  errors: [
    'INVALID_INPUT',
    'CARDHOLDER_KYC_NOT_APPROVED',
    'FUNDING_SOURCE_INELIGIBLE',
    'USER_NOT_FOUND',
    'PLATFORM_CARD_ID_EXISTS',
    'CUSTOMER_DELETED',
    'NOT_IMPLEMENTED',
  ],
})

export const card_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/cards',
  tag,
  summary: 'List cards',
  description:
    "Lists the platform's cards by cardholder, account and state, newest first, without their numbers.",
  query: Type.Object({
    cardholderId: Type.Optional(Id('Customer')),
    accountId: Type.Optional(Id('InternalAccount', 'One of the funding sources')),
    platformCardId: Type.Optional(Text(255)),
    state: Type.Optional(CardState),
    currency: Type.Optional(CurrencyCode),
    ...namesQuery,
    ...pageQuery,
    sortOrder,
  }),
  responses: { 200: NamedPage(Card) },
  errors: ['INVALID_INPUT'],
})

export const card_csv = fileOfList(card_list, 'cards')

export const card_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/cards/{id}',
  tag,
  summary: 'Read a card',
  description: 'Shows a card: its state, its last four digits and its funding sources in order.',
  params: cardPath,
  responses: { 200: Card },
  errors: ['CARD_NOT_FOUND'],
})

/**
 * Freezes, unfreezes or closes a card, or replaces its funding sources. The cardholder signs (specification
 * 4.10).
 */
export const card_update = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  customerToken: true,
  method: 'PATCH',
  path: '/cards/{id}',
  tag,
  summary: 'Update a card',
  description:
    'Freezes, unfreezes or closes a card, or replaces its funding sources. Signed by a session of the ' +
    "cardholder's embedded wallet. A frozen or closed card declines new authorizations; earlier " +
    'authorizations stay valid. A card that the platform has frozen cannot be set to ACTIVE unless its ' +
    'freeze allows it.',
  signed: true,
  signatureAlone: 'ignored',
  params: cardPath,
  body: CardUpdateRequest,
  responses: { 200: Card, 202: SignedRequestChallenge },
  errors: ['INVALID_INPUT', 'FUNDING_SOURCE_INELIGIBLE', 'CARD_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

/** Freezes a card for safety, without its cardholder (decision 0091). */
export const card_freeze = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  method: 'POST',
  path: '/cards/{id}/freeze',
  tag,
  summary: 'Freeze a card for safety',
  description:
    "Declines new purchases immediately, without the cardholder's signature: for example after the loss " +
    'of a phone, on suspicion of fraud, or by order of an authority. Earlier purchases can still clear ' +
    'or be refunded. The cardholder cannot lift the freeze unless cardholderMayLift is true, but can ' +
    'still close the card. If the platform has already frozen the card, the reason and cardholderMayLift ' +
    'are replaced.',
  idempotent: true,
  params: cardPath,
  body: CardFreezeRequest,
  responses: { 200: Card },
  errors: ['INVALID_INPUT', 'CARD_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const card_freeze_lift = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  method: 'POST',
  path: '/cards/{id}/freeze/lift',
  tag,
  summary: "Lift the platform's freeze",
  description:
    'Ends the freeze that the platform has set. The card is ACTIVE again, or stays FROZEN if the cardholder had frozen it before: ' +
    'only the cardholder can end that freeze.',
  idempotent: true,
  params: cardPath,
  body: CardFreezeLiftRequest,
  responses: { 200: Card },
  errors: ['INVALID_INPUT', 'CARD_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const card_transaction_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/cards/{id}/transactions',
  tag,
  summary: 'List card purchases',
  description:
    "Lists a card's purchases, newest first, each with the amounts authorized, cleared and refunded.",
  params: cardPath,
  query: Type.Object({
    status: Type.Optional(OneOfWords(CARD_TRANSACTION_STATES)),
    ...pageQuery,
    sortOrder,
  }),
  responses: { 200: Page(CardTransaction) },
  errors: ['INVALID_INPUT', 'CARD_NOT_FOUND'],
})

export const card_transaction_csv = {
  ...fileOfList(card_transaction_list, 'card transactions'),
  params: cardPath,
}

export const cards = {
  card_create,
  card_list,
  card_csv,
  card_get,
  card_update,
  card_freeze,
  card_freeze_lift,
  card_transaction_list,
  card_transaction_csv,
}
