import { Type } from 'typebox'
import { Id } from '../core/ids.ts'
import { keysOf } from '../core/objects.ts'
import { OneOfWords, Timestamp } from '../core/schema.ts'

/** All event types, and what each means. */
export const EVENTS = {
  'OUTGOING_PAYMENT.PENDING': 'A payment was quoted and waits to be executed, or a transfer was accepted',
  'OUTGOING_PAYMENT.PROCESSING': 'Its amount is held, and it is on its way',
  'OUTGOING_PAYMENT.COMPLETED': 'It has arrived',
  'OUTGOING_PAYMENT.FAILED': 'It has failed; `failureReason` says why',
  'OUTGOING_PAYMENT.EXPIRED': 'Its quote was not executed in time',
  'OUTGOING_PAYMENT.REFUND_PENDING': 'The money of a failed payment is coming back: see `refund`',
  'OUTGOING_PAYMENT.REFUND_COMPLETED': 'The money of a failed payment has come back',
  'OUTGOING_PAYMENT.REFUND_FAILED': 'The money of a failed payment could not come back',
  'OUTGOING_PAYMENT.FUNDING_RETURNED':
    'The bank took back money that was pulled for a quote; the delivered payment stays delivered',
  'INCOMING_PAYMENT.PENDING':
    'A payment arrived and waits for your platform: the response decides, see [payments.md](payments.md)',
  'INCOMING_PAYMENT.COMPLETED': 'It was credited',
  'INCOMING_PAYMENT.FAILED': 'It was not credited',
  'INCOMING_PAYMENT.RETURNED':
    'A bank took back a credited payment. `counterpartyInformation.shortfall` is the part that the account no longer had, and is owed to you',
  'PAYOUT_BATCH.CHECKED':
    'Every line of a batch of payouts was checked, or its file could not be read, see [bulk-payouts.md](bulk-payouts.md)',
  'PAYOUT_BATCH.COMPLETED': 'Every payable line of a batch of payouts was sent',
  'PAYMENT_SCHEDULE.UPCOMING':
    'A payment of a schedule comes soon. It can still be skipped, see [scheduled-payments.md](scheduled-payments.md)',
  'PAYMENT_SCHEDULE.SENT':
    'A payment of a schedule was accepted. Its outcome arrives with the events of outgoing payments',
  'PAYMENT_SCHEDULE.FAILED':
    'A payment of a schedule was refused or missed. `error` says why. The next one stays',
  'DEPOSIT.SUSPENDED':
    'Money came in that cannot be attributed, or came back after a return: it waits for a person, see [payments.md](payments.md#deposits)',
  'DEPOSIT.RETURNED': 'The deposit is with its sender again',
  'DEPOSIT.CORRECTED':
    'A person has split the deposit, written it off, or adjusted it to what its bank has booked',
  'DEPOSIT.REVERSED': 'The bank of the deposit took it back',
  'FUNDS_HOLD.HELD': 'Pulled money has arrived and is held by a rule, see [risk-holds.md](risk-holds.md)',
  'FUNDS_HOLD.RELEASED': 'The banking days of a hold are over: the account can spend the money',
  'FUNDS_HOLD.LIFTED': 'A person has ended a hold before its time',
  'FUNDS_HOLD.RETURNED': 'The paying bank has taken back money that was held',
  'PLATFORM_WITHDRAWAL.AWAITING_APPROVAL':
    "A withdrawal of the operator's own money waits for its approval, see [own-money.md](own-money.md)",
  'PLATFORM_WITHDRAWAL.SENT': 'The payment of a withdrawal was accepted',
  'PLATFORM_WITHDRAWAL.COMPLETED': 'The payment of a withdrawal has arrived',
  'PLATFORM_WITHDRAWAL.FAILED': 'A sweep was refused, or the payment of a withdrawal has failed or come back',
  'PLATFORM_WITHDRAWAL.CANCELED': 'A withdrawal was canceled before it was sent',
  'SCREENING.WAITING':
    'An address on a chain is on a list, and its payment or deposit waits for a person, see [screening.md](screening.md)',
  'SCREENING.DECIDED': 'A person has decided about the address',
  'RECONCILIATION.DIFFERENT':
    'The statement of a bank and the books differ, or their differences have changed, see [reconciliation.md](reconciliation.md)',
  'LEDGER.CHECKPOINT':
    'The server has signed for all transfers that have ended, at the latest an hour after one of them, see [books.md](books.md#verify-the-books)',
  'CUSTOMER.KYC_APPROVED': 'The identity check of a person was passed',
  'CUSTOMER.KYC_REJECTED': 'The identity check of a person was not passed',
  'CUSTOMER.KYC_PENDING': 'The identity check of a person is open',
  'CUSTOMER.KYB_APPROVED': 'The check of a business was passed',
  'CUSTOMER.KYB_REJECTED': 'The check of a business was not passed',
  'CUSTOMER.KYB_PENDING': 'The check of a business is open',
  'CUSTOMER.ERASED': 'The personal data of a deleted customer was erased',
  'VERIFICATION.APPROVED': 'The verification was approved, see [customers.md](customers.md#states)',
  'VERIFICATION.REJECTED': 'The verification was rejected',
  'VERIFICATION.RESOLVE_ERRORS': 'Information is missing or wrong: see `errors`',
  'VERIFICATION.IN_PROGRESS': 'The provider is checking',
  'VERIFICATION.PENDING_MANUAL_REVIEW': 'A person of yours has to decide',
  'VERIFICATION.READY_FOR_VERIFICATION': 'Nothing is missing any more: submit it again',
  'INTERNAL_ACCOUNT.BALANCE_UPDATED': 'The balance of an account, or the part it can spend, has changed',
  'INTERNAL_ACCOUNT.STATUS_UPDATED': 'The status or the privacy of an account has changed',
  'EXTERNAL_ACCOUNT.CHANGE_REPORTED':
    'A bank reports other details of an external account: no payment to it begins until somebody decides, see [account-changes.md](account-changes.md)',
  'EXTERNAL_ACCOUNT.CHANGE_DECIDED': 'The reported details of an external account were applied or dismissed',
  'INVITATION.CLAIMED':
    'An invitation of yours was claimed, perhaps on another platform, see [payments.md](payments.md#invitations). `objectId` is its code',
  'BULK_UPLOAD.COMPLETED':
    'The import of a file of customers has ended, see [customers-import.md](customers-import.md)',
  'BULK_UPLOAD.FAILED': 'The file of customers could not be read to its end',
  'AGENT_ACTION.PENDING_APPROVAL':
    'An agent asked for something that waits for approval, see [agents.md](agents.md)',
  'CARD.STATE_CHANGE': 'A card was issued, rejected, frozen, unfrozen or closed, see [cards.md](cards.md)',
  'CARD.FUNDING_SOURCE_CHANGE': 'The funding sources of a card have changed',
  'AUTH_CREDENTIAL.SIGN_COUNT_REGRESSED': 'The counter of a passkey went back: it may have been copied',
  'AUTH_CREDENTIAL.CODES_LOCKED':
    'A hundred wrong codes in a row: sign-in by code is locked until the wallet signs something or the operator unlocks it',
  'MEMBER.WORK_WAITING':
    'New work waits for a member who is notified by webhook, see [members.md](members.md#notifications)',
  'MEMBER_ROLE.CHANGED':
    'A role of team members was defined, changed or deleted, see [members.md](members.md#roles)',
  'WEBHOOK_ENDPOINT.DISABLED':
    'The server stopped sending to a webhook endpoint: it responded 410, or received nothing for seven days',
  TEST: 'You requested it with a call; it has no `data`',
} as const satisfies Readonly<Record<string, string>>

/** The types of all events. */
export const EVENT_TYPES = keysOf(EVENTS)

export type EventType = keyof typeof EVENTS

/** An event as delivered by webhook. It may arrive more than once: deduplicate by `id`. */
export const EventEnvelope = Type.Object({
  id: Id('Event', 'The same in every delivery of this event'),
  type: OneOfWords(EVENT_TYPES),
  timestamp: Timestamp('The time of the event, by the clock of the platform'),
  objectId: Type.String({ description: 'The record that changed; for a TEST, the event itself' }),
  sequence: Type.Integer({
    minimum: 1,
    description: 'The number of the event among the events of that record, without gaps',
  }),
  data: Type.Optional(Type.Unknown({ description: 'The record at that time; absent in a TEST' })),
})
