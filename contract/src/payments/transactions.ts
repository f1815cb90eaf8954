import { Type } from 'typebox'
import { PaymentInstructions } from '../accounts/payment-instructions.ts'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode, EvmAddress, UmaAddress } from '../core/formats.ts'
import { Id, IdOfAny, PathId } from '../core/ids.ts'
import { PaymentRail } from '../core/rails.ts'
import { NamedPage, namesQuery } from '../core/record-names.ts'
import { FreeForm, Int64, OneOf, OneOfWords, Prose, pageQuery, Tag, Text, Timestamp } from '../core/schema.ts'
import { Plain } from '../core/sensitivity.ts'
import {
  INCOMING_TRANSACTION_STATES,
  OUTGOING_TRANSACTION_STATES,
  REFUND_STATES,
} from '../states/payment-states.ts'
import { IncomingRateDetails, OutgoingRateDetails } from './rate-details.ts'

export const TRANSACTION_STATUSES = INCOMING_TRANSACTION_STATES
export const TRANSACTION_TYPES = ['INCOMING', 'OUTGOING'] as const
export const TRANSACTION_DIRECTIONS = ['CREDIT', 'DEBIT'] as const

export const INCOMING_FAILURE_REASONS = [
  'LNURLP_FAILED',
  'PAY_REQUEST_FAILED',
  'PAYMENT_APPROVAL_WEBHOOK_ERROR',
  'PAYMENT_APPROVAL_TIMED_OUT',
  'OFFRAMP_FAILED',
  'MISSING_MANDATORY_PAYEE_DATA',
  'QUOTE_EXPIRED',
  'QUOTE_EXECUTION_FAILED',
] as const

export const OUTGOING_FAILURE_REASONS = [
  'QUOTE_EXPIRED',
  'QUOTE_EXECUTION_FAILED',
  'LIGHTNING_PAYMENT_FAILED',
  'FUNDING_AMOUNT_MISMATCH',
  'COUNTERPARTY_POST_TX_FAILED',
] as const

export const REFUND_REASONS = ['TRANSACTION_FAILED', 'USER_CANCELLATION', 'TIMEOUT'] as const

const AccountId = IdOfAny(['InternalAccount', 'ExternalAccount'])
const currency = Type.Optional(CurrencyCode)

export const AccountTransactionSource = Type.Object({
  sourceType: Tag('ACCOUNT'),
  accountId: AccountId,
  currency,
})

export const UmaAddressTransactionSource = Type.Object({
  sourceType: Tag('UMA_ADDRESS'),
  umaAddress: UmaAddress,
  currency,
})

/** Money that arrived from outside, with the details provided by the sending bank. */
export const RealtimeFundingTransactionSource = Type.Object({
  sourceType: Tag('REALTIME_FUNDING'),
  currency: CurrencyCode,
  customerId: Type.Optional(Id('Customer')),
  accountHolderName: Type.Optional(Text(255)),
  accountIdentifier: Type.Optional(
    Text(255, { description: 'Account number, IBAN or address of the sender' }),
  ),
  bankName: Type.Optional(Text(255)),
  bankIdentifier: Type.Optional(Text(64)),
  paymentRail: Type.Optional(PaymentRail),
  remittanceInformation: Type.Optional(Prose(500)),
  endToEndId: Type.Optional(Text(255)),
  traceNumber: Type.Optional(Text(255)),
})

export const TransactionSource = OneOf('sourceType', [
  AccountTransactionSource,
  UmaAddressTransactionSource,
  RealtimeFundingTransactionSource,
])

export const AccountTransactionDestination = Type.Object({
  destinationType: Tag('ACCOUNT'),
  accountId: AccountId,
  currency,
})

export const UmaAddressTransactionDestination = Type.Object({
  destinationType: Tag('UMA_ADDRESS'),
  umaAddress: UmaAddress,
  currency,
})

/** An address on a chain to which the holder of a wallet's key has sent money without this server. */
export const ChainAddressTransactionDestination = Type.Object({
  destinationType: Tag('CHAIN_ADDRESS'),
  address: EvmAddress,
  currency,
})

export const TransactionDestination = OneOf('destinationType', [
  AccountTransactionDestination,
  UmaAddressTransactionDestination,
  ChainAddressTransactionDestination,
])

/** References to the payment at the bank or on the chain. At least one is present. */
export const ReconciliationInstructions = Type.Object(
  { reference: Type.Optional(Plain(Text(255))), transactionHash: Type.Optional(Plain(Text(255))) },
  { minProperties: 1 },
)

/** The refund of money that could not be delivered. */
export const Refund = Type.Object({
  reference: Plain(Text(255)),
  initiatedAt: Timestamp(),
  settledAt: Type.Optional(Timestamp()),
  status: OneOfWords(REFUND_STATES),
  reason: Type.Optional(OneOfWords(REFUND_REASONS)),
})

const transactionFields = {
  id: Id('Transaction'),
  direction: OneOfWords(
    TRANSACTION_DIRECTIONS,
    "CREDIT adds money to the customer's account, DEBIT subtracts it",
  ),
  destination: TransactionDestination,
  customerId: Id(
    'Customer',
    "Outgoing: the sender. Incoming: the receiver. For the platform's own money: an id that represents the platform and that no customer has",
  ),
  platformCustomerId: Text(255, {
    description:
      "The platform's own id of that customer. For the platform's own money: the id of the platform",
  }),
  settledAt: Type.Optional(Timestamp()),
  waitsUntil: Type.Optional(
    Timestamp("Present outside the rail's hours: the time at which the payment is submitted"),
  ),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
  receiptDeliveryConfirmedAt: Type.Optional(
    Timestamp('The time at which the platform confirmed that its customer has the receipt'),
  ),
  agentId: Type.Optional(Id('Agent', 'The agent that started the payment, if any')),
  description: Type.Optional(Prose(500)),
  counterpartyInformation: Type.Optional(FreeForm('The known information about the counterparty')),
  reconciliationInstructions: Type.Optional(ReconciliationInstructions),
}

/** Incoming money (specification 2.11). `fees` is in the receiving currency. */
export const IncomingTransaction = Type.Object({
  type: Tag('INCOMING'),
  status: OneOfWords(TRANSACTION_STATUSES),
  ...transactionFields,
  source: Type.Optional(TransactionSource),
  sentAmount: Type.Optional(CurrencyAmount),
  receivedAmount: CurrencyAmount,
  fees: Type.Optional(Int64({ minimum: 0, description: 'In the smallest unit of the receiving currency' })),
  rateDetails: Type.Optional(IncomingRateDetails),
  failureReason: Type.Optional(OneOfWords(INCOMING_FAILURE_REASONS)),
})

/**
 * Outgoing money (specification 2.11). `fees` is in the sending currency. The `rateDetails` of a transfer out
 * contain only our own rates and fees (specification 2.7).
 */
export const OutgoingTransaction = Type.Object({
  type: Tag('OUTGOING'),
  status: OneOfWords(OUTGOING_TRANSACTION_STATES),
  ...transactionFields,
  source: TransactionSource,
  sentAmount: CurrencyAmount,
  receivedAmount: Type.Optional(CurrencyAmount),
  exchangeRate: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      description: 'Smallest units of the sending currency per smallest unit of the receiving currency',
    }),
  ),
  fees: Type.Optional(Int64({ minimum: 0, description: 'In the smallest unit of the sending currency' })),
  quoteId: Type.Optional(Id('Quote')),
  paymentInstructions: Type.Optional(Type.Array(PaymentInstructions)),
  refund: Type.Optional(Refund),
  rateDetails: Type.Optional(Type.Union([OutgoingRateDetails, IncomingRateDetails])),
  failureReason: Type.Optional(OneOfWords(OUTGOING_FAILURE_REASONS)),
})

/** Why payments in either direction fail. */
export const FAILURE_REASONS = [...new Set([...INCOMING_FAILURE_REASONS, ...OUTGOING_FAILURE_REASONS])]

/**
 * A transfer out, in the response that starts it. Only in this response is its type INCOMING (specification
 * 4.11). It is not an `IncomingTransaction`, because it has the fields of outgoing money.
 */
export const TransferOut = Type.Object(
  {
    ...OutgoingTransaction.properties,
    type: OneOfWords(
      TRANSACTION_TYPES,
      'INCOMING in this response. Reads of the same transaction return OUTGOING',
    ),
    status: OneOfWords(TRANSACTION_STATUSES),
    receivedAmount: CurrencyAmount,
    failureReason: Type.Optional(OneOfWords(FAILURE_REASONS)),
  },
  { description: 'Money that leaves by a transfer out. `sentAmount` and `fees` are in the sending currency' },
)

/** A movement of money. `type` determines its fields. */
export const Transaction = OneOf('type', [IncomingTransaction, OutgoingTransaction])

const transactionPath = Type.Object({ transactionId: PathId })

/** Filters and order of transaction lists. */
const IN_UNITS = 'In the smallest unit of `currency`, which is then required'

const transactionFilters = {
  customerId: Type.Optional(Id('Customer')),
  platformCustomerId: Type.Optional(Text(255)),
  accountIdentifier: Type.Optional(
    Text(255, { description: 'Source or destination: account id or UMA address' }),
  ),
  senderAccountIdentifier: Type.Optional(Text(255, { description: 'Source: account id or UMA address' })),
  receiverAccountIdentifier: Type.Optional(
    Text(255, { description: 'Destination: account id or UMA address' }),
  ),
  status: Type.Optional(OneOfWords(TRANSACTION_STATUSES)),
  type: Type.Optional(OneOfWords(TRANSACTION_TYPES)),
  reference: Type.Optional(Text(255, { description: 'The reference of reconciliationInstructions' })),
  failureReason: Type.Optional(OneOfWords(FAILURE_REASONS, 'The reason for the failure')),
  currency: Type.Optional(CurrencyCode),
  amountMin: Type.Optional(
    Int64({ minimum: 0, description: `The minimum amount, sent or received. ${IN_UNITS}` }),
  ),
  amountMax: Type.Optional(
    Int64({ minimum: 0, description: `The maximum amount, sent or received. ${IN_UNITS}` }),
  ),
  startDate: Type.Optional(Timestamp('Created at or after')),
  endDate: Type.Optional(Timestamp('Created at or before')),
  sortOrder: Type.Optional(
    Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
  ),
}

export const transaction_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/transactions',
  tag: 'Transactions',
  summary: 'List transactions',
  description:
    'Lists payments in both directions, ordered by time of creation. A payment must match all filters.',
  query: Type.Object({ ...transactionFilters, ...namesQuery, ...pageQuery }),
  responses: { 200: NamedPage(Transaction) },
  errors: ['INVALID_INPUT'],
})

export const transaction_csv = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/transactions.csv',
  tag: 'Transactions',
  summary: 'Download transactions as a CSV file',
  description:
    'Exports all matching transactions for a spreadsheet or for accounting, as one stream of any length, ' +
    'with the columns that docs/books.md describes. If the download breaks off, the file is incomplete. ' +
    'Text from other parties that a spreadsheet would treat as a formula gets a leading apostrophe.',
  query: Type.Object(transactionFilters),
  responses: { 200: null },
  texts: ['csv'],
  errors: ['INVALID_INPUT'],
})

export const transaction_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/transactions/{transactionId}',
  tag: 'Transactions',
  summary: 'Read a transaction',
  description:
    'Shows a payment: its status, its amounts, both parties, and the reason if it failed. ' +
    'Use it if a webhook was missed.',
  params: transactionPath,
  responses: { 200: Transaction },
  errors: ['TRANSACTION_NOT_FOUND'],
})

export const ConfirmReceiptDeliveryRequest = Type.Object({
  receiptDeliveryConfirmedAt: Type.Optional(
    Timestamp('The time at which the customer received it. Default: now'),
  ),
})

/** Only the first confirmation has an effect. */
export const transaction_confirm = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/transactions/{transactionId}/confirm',
  tag: 'Transactions',
  summary: 'Confirm that the receipt was delivered',
  description:
    'Records that the platform has given its customer the receipt. The time of the first confirmation is ' +
    'stored. The transaction itself does not change.',
  params: transactionPath,
  body: ConfirmReceiptDeliveryRequest,
  bodyOptional: true,
  responses: { 200: Transaction },
  errors: ['INVALID_INPUT', 'TRANSACTION_NOT_FOUND'],
})

export const transactions = { transaction_list, transaction_csv, transaction_get, transaction_confirm }
