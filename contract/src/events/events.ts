import { Type } from 'typebox'
import { Id } from '../core/ids.ts'
import { OneOfWords, Timestamp } from '../core/schema.ts'

/** The types of all events. */
export const EVENT_TYPES = [
  'OUTGOING_PAYMENT.PENDING',
  'OUTGOING_PAYMENT.PROCESSING',
  'OUTGOING_PAYMENT.COMPLETED',
  'OUTGOING_PAYMENT.FAILED',
  'OUTGOING_PAYMENT.EXPIRED',
  'OUTGOING_PAYMENT.REFUND_PENDING',
  'OUTGOING_PAYMENT.REFUND_COMPLETED',
  'OUTGOING_PAYMENT.REFUND_FAILED',
  'OUTGOING_PAYMENT.FUNDING_RETURNED',
  'INCOMING_PAYMENT.PENDING',
  'INCOMING_PAYMENT.COMPLETED',
  'INCOMING_PAYMENT.FAILED',
  'INCOMING_PAYMENT.RETURNED',
  'DEPOSIT.SUSPENDED',
  'DEPOSIT.RETURNED',
  'DEPOSIT.REVERSED',
  'SCREENING.WAITING',
  'SCREENING.DECIDED',
  'RECONCILIATION.DIFFERENT',
  'LEDGER.CHECKPOINT',
  'CUSTOMER.KYC_APPROVED',
  'CUSTOMER.KYC_REJECTED',
  'CUSTOMER.KYC_PENDING',
  'CUSTOMER.KYB_APPROVED',
  'CUSTOMER.KYB_REJECTED',
  'CUSTOMER.KYB_PENDING',
  'CUSTOMER.ERASED',
  'VERIFICATION.APPROVED',
  'VERIFICATION.REJECTED',
  'VERIFICATION.RESOLVE_ERRORS',
  'VERIFICATION.IN_PROGRESS',
  'VERIFICATION.PENDING_MANUAL_REVIEW',
  'VERIFICATION.READY_FOR_VERIFICATION',
  'INTERNAL_ACCOUNT.BALANCE_UPDATED',
  'INTERNAL_ACCOUNT.STATUS_UPDATED',
  'INVITATION.CLAIMED',
  'BULK_UPLOAD.COMPLETED',
  'BULK_UPLOAD.FAILED',
  'AGENT_ACTION.PENDING_APPROVAL',
  'CARD.STATE_CHANGE',
  'CARD.FUNDING_SOURCE_CHANGE',
  'AUTH_CREDENTIAL.SIGN_COUNT_REGRESSED',
  'AUTH_CREDENTIAL.CODES_LOCKED',
  'TEST',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** An event as a webhook delivers it. It may arrive more than once: `id` identifies repeats. */
export const EventEnvelope = Type.Object({
  id: Id('Event', 'The same on every delivery of this event'),
  type: OneOfWords(EVENT_TYPES),
  timestamp: Timestamp('When it happened, by the clock of the platform'),
  objectId: Type.String({ description: 'The record that it concerns; for a TEST, the event itself' }),
  sequence: Type.Integer({
    minimum: 1,
    description: 'The number of the event among those of that record, without gaps',
  }),
  data: Type.Optional(Type.Unknown({ description: 'The record at that time; a TEST has none' })),
})
