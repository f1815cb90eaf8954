import { type Static, type TUnsafe, Type } from 'typebox'
import { CHANGED_FIELDS_MAX } from '../accounts/account-changes.ts'
import { CalendarDate, CurrencyCode } from '../core/formats.ts'
import { OneOf, OneOfWords, Tag, Timestamp } from '../core/schema.ts'
import { ConnectorFailure, ConnectorMoney, SignedDigits } from './protocol.ts'
import { text } from './words.ts'

/** Events that a connector sends to `POST /rail-events/{rail}`, at least once and in any order. */

/** Used in the `webhook-id` of deliveries, so it has to be valid in a header. */
const EventId = Type.String({
  pattern: '^[\\x21-\\x7e]{1,255}$',
  maxLength: 255,
  patternText: 'an id of 1 to 255 printable characters without spaces',
  description: 'The same in every retry, and the end of its `webhook-id`. An id takes effect once',
})

const paymentData = {
  id: text(255, 'The id of the payment or pull'),
  amount: Type.Optional(ConnectorMoney),
  connectorReference: Type.Optional(text(255)),
  transactionHash: Type.Optional(text(255)),
}

/** Event types for a payment or pull that made progress … */
export const PROGRESS_EVENT_TYPES = [
  'payment.accepted',
  'payment.delivered',
  'payment.cancelled',
  'pull.accepted',
  'pull.delivered',
] as const

/** … and for one that failed, immediately or after its delivery. */
export const FAILURE_EVENT_TYPES = [
  'payment.failed',
  'payment.returned',
  'pull.failed',
  'pull.returned',
] as const

export const PaymentProgress = Type.Object({ ...paymentData, failure: Type.Optional(ConnectorFailure) })
export type PaymentProgress = Static<typeof PaymentProgress>

export const PaymentSetback = Type.Object({ ...paymentData, failure: ConnectorFailure })
export type PaymentSetback = Static<typeof PaymentSetback>

export const ReceivedDeposit = Type.Object({
  depositId: text(255, "The connector's unique id of this deposit"),
  depositAccountId: text(255, 'The one that POST /deposit-accounts returned'),
  amount: ConnectorMoney,
  remittanceInformation: Type.Optional(
    text(1000, "The payer's message, which may contain a reference anywhere"),
  ),
  sender: Type.Optional(
    Type.Object({
      name: Type.Optional(text(255)),
      accountIdentifier: Type.Optional(text(255)),
      bankName: Type.Optional(text(255)),
      bankIdentifier: Type.Optional(text(255)),
    }),
  ),
  rail: Type.Optional(text(50, 'The network by which it arrived; the name of a payment rail if one fits')),
  endToEndId: Type.Optional(text(255)),
  traceNumber: Type.Optional(text(255)),
  receivedAt: Timestamp(),
})
export type ReceivedDeposit = Static<typeof ReceivedDeposit>

export const ReversedDeposit = Type.Object({
  depositId: text(255),
  amount: Type.Optional(ConnectorMoney),
  failure: ConnectorFailure,
})
export type ReversedDeposit = Static<typeof ReversedDeposit>

/** Changed details of the counterparty's account, as reported by the bank itself. */
export const ChangedAccount = Type.Object({
  id: text(255, 'The id of the payment or pull'),
  isPull: Type.Optional(Type.Boolean({ description: 'True if the id is the id of a pull' })),
  amount: ConnectorMoney,
  sentTo: text(
    255,
    'The number, IBAN or address of the account that the payment went to. It must be the recorded one',
  ),
  changes: Type.Array(
    Type.Object({ field: text(64, 'A property of the account, or holderName'), value: text(255) }),
    { minItems: 1, maxItems: CHANGED_FIELDS_MAX },
  ),
  code: Type.Optional(text(10, "The bank's code, such as C01")),
  message: Type.Optional(text(1000, "The bank's message, for people")),
})
export type ChangedAccount = Static<typeof ChangedAccount>

export const STATEMENT_ENTRY_KINDS = [
  'PAYMENT',
  'PAYMENT_RETURN',
  'PULL',
  'PULL_RETURN',
  'DEPOSIT',
  'DEPOSIT_REVERSAL',
  'FEE',
  'INTEREST',
  'OTHER',
] as const

export const StatementEntry = Type.Object({
  entryId: text(255, "The bank's id of this entry, unique across all statements of the rail"),
  bookedAt: Timestamp(),
  amount: SignedDigits,
  kind: OneOfWords(
    STATEMENT_ENTRY_KINDS,
    'The kind of record that it books. A returned deposit is a PAYMENT',
  ),
  id: Type.Optional(text(255, 'For a payment or pull: the id from the call')),
  depositId: Type.Optional(text(255)),
  text: Type.Optional(text(1000, "The bank's message")),
  deposit: Type.Optional(ReceivedDeposit),
})
export type StatementEntry = Static<typeof StatementEntry>

/** The entries of one day and currency. The opening balance plus all entries equals the closing balance. */
export const ConnectorStatement = Type.Object({
  statementId: text(255, 'The same in every retry'),
  date: CalendarDate,
  currency: CurrencyCode,
  openingBalance: SignedDigits,
  closingBalance: SignedDigits,
  entries: Type.Array(StatementEntry),
})
export type ConnectorStatement = Static<typeof ConnectorStatement>

const head = { id: EventId, occurredAt: Timestamp('The time at the bank') }

/** The members of the union, by name in the OpenAPI document. */
export const EVENT_MEMBERS = {
  PaymentProgressEvent: Type.Object({
    ...head,
    type: OneOfWords(PROGRESS_EVENT_TYPES),
    data: PaymentProgress,
  }),
  PaymentSetbackEvent: Type.Object({ ...head, type: OneOfWords(FAILURE_EVENT_TYPES), data: PaymentSetback }),
  DepositReceivedEvent: Type.Object({ ...head, type: Tag('deposit.received'), data: ReceivedDeposit }),
  DepositReversedEvent: Type.Object({ ...head, type: Tag('deposit.reversed'), data: ReversedDeposit }),
  AccountChangedEvent: Type.Object({ ...head, type: Tag('account.changed'), data: ChangedAccount }),
  StatementEvent: Type.Object({ ...head, type: Tag('statement'), data: ConnectorStatement }),
} as const

type Member = (typeof EVENT_MEMBERS)[keyof typeof EVENT_MEMBERS]
export type ConnectorEvent = Static<Member>
export type ConnectorEventType = ConnectorEvent['type']

export const ConnectorEvent: TUnsafe<ConnectorEvent> = Type.Unsafe(
  OneOf('type', Object.values<Member>(EVENT_MEMBERS)),
)

export const EventReceived = Type.Object({ received: Type.Boolean() })
