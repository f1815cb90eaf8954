import { Type } from 'typebox'
import { PaymentInstructions } from '../accounts/payment-instructions.ts'
import { Currency } from '../core/currencies.ts'
import { endpoint, KIB } from '../core/endpoint.ts'
import { CurrencyCode, UmaAddressInput } from '../core/formats.ts'
import { Id, IdOfAny, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { PaymentRail } from '../core/rails.ts'
import {
  FreeForm,
  FreeFormInput,
  Int64,
  OneOf,
  OneOfWords,
  Page,
  Prose,
  pageQuery,
  Tag,
  Text,
  Timestamp,
} from '../core/schema.ts'
import { SignedRequestChallenge } from '../core/signed-retry.ts'
import { QUOTE_STATES } from '../states/payment-states.ts'
import { OutgoingRateDetails } from './rate-details.ts'
import { COUNTERPARTY_ERRORS } from './receivers.ts'

export const LOCK_SIDES = ['SENDING', 'RECEIVING'] as const

export const PURPOSES_OF_PAYMENT = [
  'GIFT',
  'SELF',
  'GOODS_OR_SERVICES',
  'EDUCATION',
  'HEALTH_OR_MEDICAL',
  'REAL_ESTATE_PURCHASE',
  'TAX_PAYMENT',
  'LOAN_PAYMENT',
  'UTILITY_BILL',
  'DONATION',
  'TRAVEL',
  'FAMILY_SUPPORT',
  'SALARY_PAYMENT',
  'OTHER',
] as const

/** Money already in an account (specification 2.5). */
export const AccountQuoteSource = Type.Object({
  sourceType: Tag('ACCOUNT'),
  accountId: IdOfAny(
    ['InternalAccount', 'ExternalAccount'],
    'An internal account, or an external account from which the money is pulled first',
  ),
  customerId: Type.Optional(
    Id(
      'Customer',
      "The customer on whose behalf the quote is created. Default: the account's owner. Required for an " +
        'account of the platform if omnibusAccounts is set in its configuration',
    ),
  ),
})

/** Money that the customer sends after the quote has been created. */
export const RealtimeFundingQuoteSource = Type.Object({
  sourceType: Tag('REALTIME_FUNDING'),
  currency: CurrencyCode,
  customerId: Type.Optional(
    Id(
      'Customer',
      'The customer who pays. Default: the owner of the receiving account; for an UMA address, the platform itself',
    ),
  ),
  cryptoNetwork: Type.Optional(Text(64, { description: 'The chain to pay on, if the currency has several' })),
})

export const QuoteSource = OneOf('sourceType', [AccountQuoteSource, RealtimeFundingQuoteSource])

export const AccountQuoteDestination = Type.Object({
  destinationType: Tag('ACCOUNT'),
  accountId: IdOfAny(['ExternalAccount', 'InternalAccount']),
  currency: Type.Optional(CurrencyCode),
  paymentRail: Type.Optional(PaymentRail),
})

export const UmaAddressQuoteDestination = Type.Object({
  destinationType: Tag('UMA_ADDRESS'),
  umaAddress: UmaAddressInput,
  currency: Type.Optional(CurrencyCode),
})

export const QuoteDestination = OneOf('destinationType', [
  AccountQuoteDestination,
  UmaAddressQuoteDestination,
])

export const QuoteRequest = Type.Object({
  source: QuoteSource,
  destination: QuoteDestination,
  lockedCurrencySide: OneOfWords(
    LOCK_SIDES,
    'The side whose amount is fixed. The other amount follows from the rate',
  ),
  lockedCurrencyAmount: Int64({
    exclusiveMinimum: 0,
    maximum: 9_000_000_000_000_000,
    description: "In the smallest unit of the locked side's currency",
  }),
  immediatelyExecute: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'True: executes the quote in the same call. Not for an embedded wallet, which must sign. No ' +
        'effect with real-time funding, where the payment executes the quote',
    }),
  ),
  description: Type.Optional(Prose(500)),
  purposeOfPayment: Type.Optional(OneOfWords(PURPOSES_OF_PAYMENT)),
  lookupId: Type.Optional(Text(255, { description: 'The lookup of the receiver, if any' })),
  senderCustomerInfo: Type.Optional(
    FreeFormInput('The information about the sender that the receiver requires'),
  ),
})

/** A price that is valid until `expiresAt`, and the transaction for it (specification 2.5). */
export const Quote = Type.Object({
  id: Id('Quote'),
  status: OneOfWords(QUOTE_STATES),
  createdAt: Timestamp(),
  expiresAt: Timestamp('The time until which the rate is locked; afterwards the quote cannot be executed'),
  source: QuoteSource,
  destination: QuoteDestination,
  sendingCurrency: Currency,
  receivingCurrency: Currency,
  totalSendingAmount: Int64({
    exclusiveMinimum: 0,
    description: 'In the smallest unit of the sending currency, including fees',
  }),
  totalReceivingAmount: Int64({
    exclusiveMinimum: 0,
    description: 'In the smallest unit of the receiving currency',
  }),
  exchangeRate: Type.Number({
    exclusiveMinimum: 0,
    description: 'Smallest units of the sending currency per smallest unit of the receiving currency',
  }),
  feesIncluded: Int64({ minimum: 0, description: 'In the smallest unit of the sending currency' }),
  paymentInstructions: Type.Optional(
    Type.Array(PaymentInstructions, {
      description:
        'REALTIME_FUNDING: the details for sending the money. Embedded wallet as source: the payload to sign',
    }),
  ),
  transactionId: Id('Transaction'),
  counterpartyInformation: Type.Optional(FreeForm('The known information about the receiver')),
  rateDetails: Type.Optional(OutgoingRateDetails),
})

const quotePath = Type.Object({ quoteId: PathId })

/** Locks a rate. No money moves, unless `immediatelyExecute` is set. */
export const quote_create = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  customerToken: true,
  method: 'POST',
  path: '/quotes',
  tag: 'Quotes',
  summary: 'Create a quote',
  description:
    'Locks the rate and the fees of a payment until expiresAt, and creates its transaction. No money ' +
    'moves before the quote is executed, unless immediatelyExecute is set. If the money comes from ' +
    'outside, paymentInstructions state how to pay.',
  idempotent: true,
  body: QuoteRequest,
  bodyBytesMax: 16 * KIB,
  responses: { 201: Quote },
  errors: [
    'INVALID_INPUT',
    'FORBIDDEN',
    'INVALID_AMOUNT',
    'INVALID_BANK_ACCOUNT',
    'INVALID_CURRENCY',
    'INVALID_UMA_ADDRESS',
    'AMOUNT_OUT_OF_RANGE',
    'INSUFFICIENT_BALANCE',
    'MISSING_MANDATORY_USER_INFO',
    'QUOTE_REQUEST_FAILED',
    'SELF_PAYMENT',
    'PULL_NEEDS_HOLD',
    'USER_NOT_READY',
    'VELOCITY_LIMIT_EXCEEDED',
    'ACCOUNT_NOT_FOUND',
    'EXTERNAL_ACCOUNT_UNDER_REVIEW',
    'EXTERNAL_ACCOUNT_INACTIVE',
    'CUSTOMER_DELETED',
    'LOOKUP_REQUEST_NOT_FOUND',
    'UMA_NOT_FOUND',
    'USER_NOT_FOUND',
    'COUNTERPARTY_NOT_ALLOWED',
    ...COUNTERPARTY_ERRORS,
    'PAYREQ_REQUEST_FAILED',
    'SVC_SWITCH_ERROR',
    'NOT_IMPLEMENTED',
    'POSITION_LIMIT_REACHED',
  ],
})

export const quote_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/quotes/{quoteId}',
  tag: 'Quotes',
  summary: 'Read a quote',
  description: 'Shows a quote: its amounts, its rate, its status and its expiry.',
  params: quotePath,
  responses: { 200: Quote },
  errors: ['QUOTE_NOT_FOUND'],
})

export const quote_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/quotes',
  tag: 'Quotes',
  summary: 'List quotes',
  description:
    'Lists quotes, newest first, including executed and expired ones. A quote must match all filters.',
  query: Type.Object({
    customerId: Type.Optional(Id('Customer', 'The paying customer')),
    status: Type.Optional(OneOfWords(QUOTE_STATES)),
    startDate: Type.Optional(Timestamp('Created at or after')),
    endDate: Type.Optional(Timestamp('Created at or before')),
    ...pageQuery,
  }),
  responses: { 200: Page(Quote) },
  errors: ['INVALID_INPUT'],
})

export const quote_csv = fileOfList(quote_list, 'quotes')

/** Pays a quote once. If the source is an embedded wallet, the wallet signs (specification 4.7). */
export const quote_execute = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  customerToken: true,
  method: 'POST',
  path: '/quotes/{quoteId}/execute',
  tag: 'Quotes',
  summary: 'Execute a quote',
  description:
    'Starts the payment of a PENDING quote. INTERNAL_FIAT and INTERNAL_CRYPTO accounts pay immediately. ' +
    'From an external account, the money is pulled first. An embedded wallet signs: either in two calls, ' +
    "with the 202 challenge, or in one call, with a stamp over the payloadToSign in the quote's " +
    'paymentInstructions.',
  signed: true,
  signatureAlone: 'executes',
  idempotent: true,
  params: quotePath,
  responses: { 200: Quote, 202: SignedRequestChallenge },
  errors: [
    'COUNTERPARTY_NOT_ALLOWED',
    'INVALID_INPUT',
    'INVALID_AMOUNT',
    'AMOUNT_OUT_OF_RANGE',
    'INSUFFICIENT_BALANCE',
    'QUOTE_EXPIRED',
    'UNAUTHORIZED',
    'PULL_NEEDS_HOLD',
    'USER_NOT_READY',
    'VELOCITY_LIMIT_EXCEEDED',
    'ACCOUNT_NOT_FOUND',
    'EXTERNAL_ACCOUNT_UNDER_REVIEW',
    'EXTERNAL_ACCOUNT_INACTIVE',
    'EXTERNAL_ACCOUNT_CHANGED',
    'CUSTOMER_DELETED',
    'QUOTE_NOT_FOUND',
    'QUOTE_ALREADY_EXECUTED',
    'ACTION_NOT_DECIDED',
    'INVALID_STATE_TRANSITION',
    'POSITION_LIMIT_REACHED',
  ],
})

export const quotes = { quote_create, quote_list, quote_csv, quote_get, quote_execute }
