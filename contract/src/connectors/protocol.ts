import { type Static, Type } from 'typebox'
import { CurrencyCode } from '../core/formats.ts'
import { PaymentRail } from '../core/rails.ts'
import { OneOfWords, Timestamp } from '../core/schema.ts'
import { ConnectorAccount, ConnectorDepositDetails } from './accounts.ts'
import { text } from './words.ts'

/**
 * The bodies exchanged between Countersign and a connector, which is the operator's own service in front of a
 * bank or payout provider. This is version 1 of the protocol; docs/connectors/README.md explains each call.
 * Receivers ignore unknown fields; amounts are strings of digits, because many JSON parsers round numbers
 * beyond 2^53.
 */
export const CONNECTOR_VERSION = '1'

/** Header with `CONNECTOR_VERSION`, in every call in both directions. */
export const CONNECTOR_VERSION_HEADER = 'connector-version'

/** The largest body that either side must accept, except statements. */
export const CONNECTOR_BODY_BYTES_MAX = 64 * 1024

/** Maximum size of a statement: about 50,000 entries. */
export const CONNECTOR_STATEMENT_BYTES_MAX = 32 * 1024 * 1024

/** Maximum size of an event. Countersign fetches a larger statement instead of receiving it as an event. */
export const CONNECTOR_EVENT_BYTES_MAX = 4 * 1024 * 1024

const decimals = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 18,
    description: 'Decimal places of the currency: for readers, ignored when received',
  }),
)

const digits = Type.String({
  pattern: '^[0-9]{1,19}$',
  maxLength: 19,
  patternText: 'an amount in the smallest unit as a string of digits',
  description: 'In the smallest unit of the currency, in digits; at most 9223372036854775807',
})

/** An amount that may be negative, such as a balance. */
export const SignedDigits = Type.String({
  pattern: '^-?[0-9]{1,19}$',
  maxLength: 20,
  patternText: 'a signed amount in the smallest unit as a string of digits',
  description: 'In the smallest unit of the currency, in digits, with a minus sign if it is below zero',
})

export const ConnectorMoney = Type.Object({ value: digits, currency: CurrencyCode, decimals })
export type ConnectorMoney = Static<typeof ConnectorMoney>

export const ConnectorBalance = Type.Object({ value: SignedDigits, currency: CurrencyCode, decimals })
export type ConnectorBalance = Static<typeof ConnectorBalance>

const INT64_MAX = 2n ** 63n - 1n

/** Parses a string of digits. Undefined if it is malformed or exceeds int64. */
export function parseDigits(value: string): bigint | undefined {
  if (!/^-?[0-9]{1,19}$/.test(value)) return undefined
  const amount = BigInt(value)
  return amount > INT64_MAX || amount < -INT64_MAX ? undefined : amount
}

/** Formats an amount for the protocol. */
export function buildConnectorMoney(amount: bigint, currency: string, decimals: number): ConnectorMoney {
  return { value: String(amount), currency, decimals }
}

/** Why a payment failed or was returned (specification 2.11). */
export const CONNECTOR_FAILURE_CODES = [
  'QUOTE_EXECUTION_FAILED',
  'COUNTERPARTY_POST_TX_FAILED',
  'LIGHTNING_PAYMENT_FAILED',
  'OFFRAMP_FAILED',
  'PAY_REQUEST_FAILED',
] as const

export const ConnectorFailure = Type.Object({
  code: OneOfWords(CONNECTOR_FAILURE_CODES, 'COUNTERPARTY_POST_TX_FAILED if no other code fits better'),
  message: text(1000, "The bank's message, for people"),
})
export type ConnectorFailure = Static<typeof ConnectorFailure>

export const PAYMENT_STATUSES = [
  'ACCEPTED',
  'DELIVERED',
  'FAILED',
  'RETURNED',
  'CANCELLED',
  'UNKNOWN',
] as const

/** The state of a payment or pull. It is known only from a 200 with this body. */
export const ConnectorPayment = Type.Object({
  id: text(96, 'The id from the call that created it'),
  status: OneOfWords(PAYMENT_STATUSES, 'UNKNOWN: the bank has not reported a result; ask again'),
  connectorReference: Type.Optional(text(255, "The bank's reference, for people")),
  failure: Type.Optional(ConnectorFailure),
  transactionHash: Type.Optional(text(255, 'On a chain: the hash of the transaction')),
})
export type ConnectorPayment = Static<typeof ConnectorPayment>
export type ConnectorPaymentStatus = ConnectorPayment['status']

const paymentId = (kinds: string, description: string) =>
  Type.String({ pattern: `^(?:${kinds}):[0-9A-Za-z-]{1,64}$`, maxLength: 96, description })

const reference = text(255, 'Identifies the payment on both sides')

export const PaymentRequest = Type.Object(
  {
    id: paymentId(
      'Transaction|Deposit|Quote',
      "Countersign's unique id of this payment, and the idempotency key",
    ),
    amount: ConnectorMoney,
    rail: Type.Optional(PaymentRail),
    beneficiary: Type.Optional(ConnectorAccount),
    originator: Type.Optional(
      Type.Object(
        { id: text(96), name: Type.Optional(text(255)) },
        { description: 'The customer on whose behalf the payment is made' },
      ),
    ),
    reference,
    remittanceInformation: Type.Optional(text(1000, 'The message to the payee')),
    returnOf: Type.Optional(
      Type.Object(
        { depositId: text(255) },
        { description: 'Returns the money of this deposit to its sender; there is no beneficiary' },
      ),
    ),
    requestedAt: Timestamp('The time of the first attempt; the same in every retry'),
  },
  { oneOf: [{ required: ['beneficiary'] }, { required: ['returnOf'] }] },
)
export type PaymentRequest = Static<typeof PaymentRequest>

export const PullRequest = Type.Object({
  id: paymentId('Transaction', "Countersign's unique id of this pull, and the idempotency key"),
  amount: ConnectorMoney,
  rail: Type.Optional(PaymentRail),
  payer: ConnectorAccount,
  reference,
  requestedAt: Timestamp('The time of the first attempt; the same in every retry'),
})
export type PullRequest = Static<typeof PullRequest>

export const CancelRequest = Type.Object({}, { description: 'An empty object' })

export const DepositAccountRequest = Type.Object({
  id: Type.String({
    pattern: '^(?:InternalAccount:[0-9A-Za-z-]{1,64}|Pool:[A-Z0-9]{3,5})$',
    maxLength: 96,
    description: '`InternalAccount:…`, or `Pool:` and a currency',
  }),
  purpose: OneOfWords(
    ['ACCOUNT', 'POOL'],
    'ACCOUNT: for one internal account. POOL: one account per currency for all, for which payers state a reference',
  ),
  currency: CurrencyCode,
  reference: text(255, 'The reference that payers state, if matching is REFERENCE'),
  holder: Type.Optional(
    Type.Object(
      { id: text(96), name: Type.Optional(text(255)) },
      { description: 'The customer whom the account is for' },
    ),
  ),
})
export type DepositAccountRequest = Static<typeof DepositAccountRequest>

const depositMembers = {
  id: text(96),
  depositAccountId: text(255, 'Identifies the account in deposit events'),
  matching: OneOfWords(
    ['ACCOUNT', 'REFERENCE'],
    'ACCOUNT: everything that arrives there belongs to this internal account. REFERENCE: the reference names the owner',
  ),
}

/** `account` contains the account type's payment instructions without the reference. */
export const DepositAccount = Type.Object({ ...depositMembers, ...ConnectorDepositDetails.properties })
export type DepositAccount = Static<typeof DepositAccount>

export const AccountCheckRequest = Type.Object({
  accountType: ConnectorAccount.properties.accountType,
  account: ConnectorAccount.properties.account,
  holderName: text(255),
})
export type AccountCheckRequest = Static<typeof AccountCheckRequest>

export const AccountCheck = Type.Object({
  result: OneOfWords(
    ['MATCH', 'CLOSE_MATCH', 'NO_MATCH', 'UNAVAILABLE'],
    'UNAVAILABLE: the bank does not know, or does not check names',
  ),
  name: Type.Optional(text(255, 'The name on the bank’s record, if it may be shown')),
})
export type AccountCheck = Static<typeof AccountCheck>

export const Balances = Type.Object({
  balances: Type.Array(ConnectorBalance, { description: 'One for each currency' }),
  asOf: Timestamp(),
})
export type Balances = Static<typeof Balances>

export const ConnectorError = Type.Object({
  code: text(100, 'For programs: INVALID_INPUT, INVALID_SIGNATURE, PAYMENT_NOT_FOUND, …'),
  message: text(1000, 'For people'),
})
export type ConnectorError = Static<typeof ConnectorError>

/**
 * Returns the `webhook-id` of a call to a connector. It binds the signature to the method and URL, which the
 * body does not contain; a GET has no body at all.
 *
 * @param path the path and query as sent, relative to the connector's base address: `/payments/Transaction:…`
 * @param id the id in the body of a POST that creates a record
 */
export function callSigningId(method: 'GET' | 'POST', path: string, id?: string): string {
  return `${method} ${path}${id === undefined ? '' : ` ${id}`}`
}

/**
 * Returns the `webhook-id` of an event. It binds the signature to the rail, so that another rail with the
 * same secret does not accept it.
 *
 * @param id the event's id
 */
export function toEventSigningId(rail: string, id: string): string {
  return callSigningId('POST', `/rail-events/${rail}`, id)
}
