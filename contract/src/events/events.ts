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
  'OUTGOING_PAYMENT.REFUND_PENDING': 'The money of a failed payment is being refunded: see `refund`',
  'OUTGOING_PAYMENT.REFUND_COMPLETED': 'The money of a failed payment was refunded',
  'OUTGOING_PAYMENT.REFUND_FAILED': 'The money of a failed payment could not be refunded',
  'OUTGOING_PAYMENT.FUNDING_RETURNED':
    'The bank took back money that was pulled for a quote; the delivered payment stays delivered',
  'INCOMING_PAYMENT.PENDING':
    "A payment arrived and needs your platform's approval: the response decides, see [payments.md](payments.md)",
  'INCOMING_PAYMENT.COMPLETED': 'It was credited',
  'INCOMING_PAYMENT.FAILED': 'It was not credited',
  'INCOMING_PAYMENT.RETURNED':
    'A bank took back a credited payment. `counterpartyInformation.shortfall` is the part that the account no longer had, and is owed to you',
  'PAYOUT_BATCH.CHECKED':
    'Every line of a payout batch was checked, or its file could not be read, see [bulk-payouts.md](bulk-payouts.md)',
  'PAYOUT_BATCH.COMPLETED': 'Every payable line of a payout batch was sent',
  'PAYMENT_SCHEDULE.UPCOMING':
    'A scheduled payment is due soon. It can still be skipped, see [scheduled-payments.md](scheduled-payments.md)',
  'PAYMENT_SCHEDULE.SENT':
    'A scheduled payment was accepted. Its outcome arrives with the events of outgoing payments',
  'PAYMENT_SCHEDULE.FAILED':
    'A scheduled payment was refused or missed. `error` says why. The schedule continues',
  'DEPOSIT.SUSPENDED':
    'Money arrived that cannot be attributed, or a return failed: the deposit needs manual review, see [payments.md](payments.md#deposits)',
  'DEPOSIT.RETURNED': 'The deposit was returned to its sender',
  'DEPOSIT.CORRECTED': 'The deposit was split, written off, or adjusted to the amount booked by its bank',
  'DEPOSIT.REVERSED': 'The bank took the deposit back',
  'FUNDS_HOLD.HELD': 'Pulled money has arrived and is held by a rule, see [risk-holds.md](risk-holds.md)',
  'FUNDS_HOLD.RELEASED': 'The banking days of a hold are over: the account can spend the money',
  'FUNDS_HOLD.LIFTED': 'A hold was ended early',
  'FUNDS_HOLD.RETURNED': 'The paying bank took back money that was held',
  'PLATFORM_WITHDRAWAL.AWAITING_APPROVAL':
    "A withdrawal of the operator's own money is waiting for approval, see [own-money.md](own-money.md)",
  'PLATFORM_WITHDRAWAL.SENT': 'The payment of a withdrawal was accepted',
  'PLATFORM_WITHDRAWAL.COMPLETED': 'The payment of a withdrawal has arrived',
  'PLATFORM_WITHDRAWAL.FAILED': 'A sweep was refused, or the payment of a withdrawal failed or was returned',
  'PLATFORM_WITHDRAWAL.CANCELED': 'A withdrawal was canceled before it was sent',
  'SCREENING.WAITING':
    'A blockchain address is on a list, and its payment or deposit is held for manual review, see [screening.md](screening.md)',
  'SCREENING.DECIDED': 'The screening was decided',
  'RECONCILIATION.DIFFERENT':
    'A bank statement and the ledger differ, or their differences have changed, see [reconciliation.md](reconciliation.md)',
  'LEDGER.CHECKPOINT':
    'The server has signed a checkpoint over all ended transfers, at the latest an hour after a transfer ended, see [books.md](books.md#verify-the-books)',
  'CUSTOMER.KYC_APPROVED': 'A person was approved in the identity check',
  'CUSTOMER.KYC_REJECTED': 'A person was rejected in the identity check',
  'CUSTOMER.KYC_PENDING': 'The identity check of a person is pending',
  'CUSTOMER.KYB_APPROVED': 'A business was approved',
  'CUSTOMER.KYB_REJECTED': 'A business was rejected',
  'CUSTOMER.KYB_PENDING': 'The check of a business is pending',
  'CUSTOMER.ERASED': 'The personal data of a deleted customer was erased',
  'VERIFICATION.APPROVED': 'The verification was approved, see [customers.md](customers.md#states)',
  'VERIFICATION.REJECTED': 'The verification was rejected',
  'VERIFICATION.RESOLVE_ERRORS': 'Information is missing or wrong: see `errors`',
  'VERIFICATION.IN_PROGRESS': 'The provider is checking',
  'VERIFICATION.PENDING_MANUAL_REVIEW': 'The verification needs manual review',
  'VERIFICATION.READY_FOR_VERIFICATION': 'Nothing is missing any more: submit it again',
  'INTERNAL_ACCOUNT.BALANCE_UPDATED': 'The balance of an account, or the part it can spend, has changed',
  'INTERNAL_ACCOUNT.STATUS_UPDATED': 'The status or the privacy of an account has changed',
  'EXTERNAL_ACCOUNT.CHANGE_REPORTED':
    'A bank reports different details for an external account: new payments are blocked until the change ' +
    'is decided, see [account-changes.md](account-changes.md)',
  'EXTERNAL_ACCOUNT.CHANGE_DECIDED': 'The reported details of an external account were applied or dismissed',
  'EXTERNAL_ACCOUNT.VERIFICATION_UPDATED':
    'The verification of an external account by two deposits has changed its status, see [account-verification.md](account-verification.md)',
  'INVITATION.CLAIMED':
    'An invitation of yours was claimed, perhaps on another platform, see [payments.md](payments.md#invitations). `objectId` is its code',
  'BULK_UPLOAD.COMPLETED': 'A customer import has ended, see [customers-import.md](customers-import.md)',
  'BULK_UPLOAD.FAILED': 'The customer file could not be read completely',
  'AGENT_ACTION.PENDING_APPROVAL':
    'An action of an agent is waiting for approval, see [agents.md](agents.md)',
  'CARD.STATE_CHANGE': 'A card was issued, rejected, frozen, unfrozen or closed, see [cards.md](cards.md)',
  'CARD.FUNDING_SOURCE_CHANGE': 'The funding sources of a card have changed',
  'AUTH_CREDENTIAL.SIGN_COUNT_REGRESSED': 'The counter of a passkey went back: it may have been copied',
  'AUTH_CREDENTIAL.CODES_LOCKED':
    'After 100 wrong codes in a row, sign-in by code is locked until the wallet signs an operation or the operator unlocks it',
  'MEMBER.WORK_WAITING':
    'New work is waiting for a member who is notified by webhook, see [members.md](members.md#notifications)',
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
  timestamp: Timestamp("The time of the event, by the platform's clock"),
  objectId: Type.String({ description: 'The record that changed; for a TEST, the event itself' }),
  sequence: Type.Integer({
    minimum: 1,
    description: 'The number of the event among the events of that record, without gaps',
  }),
  data: Type.Optional(Type.Unknown({ description: 'The record at that time; absent in a TEST' })),
})
