import { type TSchema, Type } from 'typebox'
import { AccountChange } from '../accounts/account-changes.ts'
import { AccountVerification } from '../accounts/account-verifications.ts'
import { InternalAccount } from '../accounts/internal-accounts.ts'
import { AgentAction } from '../agents/agent-actions.ts'
import { AgentDecision } from '../agents/agent-policy.ts'
import { AuthMethod } from '../auth/credentials.ts'
import { LedgerCheckpoint } from '../books/checkpoints.ts'
import { Card } from '../cards/cards.ts'
import { FreeFormInput, OneOfWords, Text } from '../core/schema.ts'
import { BulkCustomerImportJob } from '../customers/customer-imports.ts'
import { Customer } from '../customers/customers.ts'
import { CustomerErasure } from '../customers/erasures.ts'
import { Verification } from '../customers/verifications.ts'
import { MemberRole } from '../operation/custom-roles.ts'
import { MemberDigest } from '../operation/member-notifications.ts'
import { PlatformWithdrawal } from '../operation/own-money.ts'
import { Reconciliation } from '../operation/reconciliations.ts'
import { Deposit } from '../payments/deposits.ts'
import { FundsHold } from '../payments/funds-holds.ts'
import { UmaInvitation } from '../payments/invitations.ts'
import { PaymentOccurrence } from '../payments/payment-schedules.ts'
import { PayoutBatch } from '../payments/payout-batches.ts'
import { CounterpartyFieldDefinition } from '../payments/receivers.ts'
import { Screening } from '../payments/screenings.ts'
import { IncomingTransaction, Transaction } from '../payments/transactions.ts'
import { EventEnvelope, type EventType } from './events.ts'
import { WebhookEndpoint } from './webhook-endpoints.ts'

/** Webhook bodies, by kind. */

function webhook<const T extends EventType, D extends TSchema>(types: readonly T[], data: D) {
  return Type.Object({ ...EventEnvelope.properties, type: OneOfWords(types), data })
}

/** An incoming payment. While it is PENDING, the response to the webhook decides it. */
export const IncomingPaymentWebhookData = Type.Object({
  ...IncomingTransaction.properties,
  requestedReceiverCustomerInfoFields: Type.Optional(
    Type.Array(CounterpartyFieldDefinition, {
      description: 'The information about the receiver that the sending side requests',
    }),
  ),
})

/** A transaction with direction DEBIT. This includes a transfer out, although its type is INCOMING. */
export const OutgoingPaymentWebhook = webhook(
  [
    'OUTGOING_PAYMENT.PENDING',
    'OUTGOING_PAYMENT.PROCESSING',
    'OUTGOING_PAYMENT.COMPLETED',
    'OUTGOING_PAYMENT.FAILED',
    'OUTGOING_PAYMENT.EXPIRED',
    'OUTGOING_PAYMENT.REFUND_PENDING',
    'OUTGOING_PAYMENT.REFUND_COMPLETED',
    'OUTGOING_PAYMENT.REFUND_FAILED',
    'OUTGOING_PAYMENT.FUNDING_RETURNED',
  ],
  Transaction,
)

export const IncomingPaymentWebhook = webhook(
  [
    'INCOMING_PAYMENT.PENDING',
    'INCOMING_PAYMENT.COMPLETED',
    'INCOMING_PAYMENT.FAILED',
    'INCOMING_PAYMENT.RETURNED',
  ],
  IncomingPaymentWebhookData,
)

export const CustomerWebhook = webhook(
  [
    'CUSTOMER.KYC_APPROVED',
    'CUSTOMER.KYC_REJECTED',
    'CUSTOMER.KYC_PENDING',
    'CUSTOMER.KYB_APPROVED',
    'CUSTOMER.KYB_REJECTED',
    'CUSTOMER.KYB_PENDING',
  ],
  Customer,
)

export const CustomerErasedWebhook = webhook(['CUSTOMER.ERASED'], CustomerErasure)

export const VerificationWebhook = webhook(
  [
    'VERIFICATION.RESOLVE_ERRORS',
    'VERIFICATION.READY_FOR_VERIFICATION',
    'VERIFICATION.IN_PROGRESS',
    'VERIFICATION.PENDING_MANUAL_REVIEW',
    'VERIFICATION.APPROVED',
    'VERIFICATION.REJECTED',
  ],
  Verification,
)

/** The final state of an import, without its row errors. */
export const BulkUploadWebhook = webhook(
  ['BULK_UPLOAD.COMPLETED', 'BULK_UPLOAD.FAILED'],
  BulkCustomerImportJob,
)

export const InternalAccountWebhook = webhook(
  ['INTERNAL_ACCOUNT.BALANCE_UPDATED', 'INTERNAL_ACCOUNT.STATUS_UPDATED'],
  InternalAccount,
)

/** A credential as returned by `GET /auth/credentials`. */
export const CredentialWebhook = webhook(
  ['AUTH_CREDENTIAL.SIGN_COUNT_REGRESSED', 'AUTH_CREDENTIAL.CODES_LOCKED'],
  AuthMethod,
)

export const CardStateChangeWebhook = webhook(['CARD.STATE_CHANGE'], Card)

export const CardFundingSourceChangeWebhook = webhook(['CARD.FUNDING_SOURCE_CHANGE'], Card)

/**
 * The information needed for a decision: the action with its payment, the agent, and the rules that require
 * an approval.
 */
export const AgentActionWebhook = webhook(
  ['AGENT_ACTION.PENDING_APPROVAL'],
  Type.Object({
    ...AgentAction.properties,
    agentName: Text(255),
    summary: Text(8192, { description: 'The action in one sentence' }),
    decision: AgentDecision,
  }),
)

export const PayoutBatchWebhook = webhook(['PAYOUT_BATCH.CHECKED', 'PAYOUT_BATCH.COMPLETED'], PayoutBatch)

export const PaymentScheduleWebhook = webhook(
  ['PAYMENT_SCHEDULE.UPCOMING', 'PAYMENT_SCHEDULE.SENT', 'PAYMENT_SCHEDULE.FAILED'],
  PaymentOccurrence,
)

export const DepositWebhook = webhook(
  ['DEPOSIT.SUSPENDED', 'DEPOSIT.RETURNED', 'DEPOSIT.CORRECTED', 'DEPOSIT.REVERSED'],
  Deposit,
)

export const FundsHoldWebhook = webhook(
  ['FUNDS_HOLD.HELD', 'FUNDS_HOLD.RELEASED', 'FUNDS_HOLD.LIFTED', 'FUNDS_HOLD.RETURNED'],
  FundsHold,
)

export const PlatformWithdrawalWebhook = webhook(
  [
    'PLATFORM_WITHDRAWAL.AWAITING_APPROVAL',
    'PLATFORM_WITHDRAWAL.SENT',
    'PLATFORM_WITHDRAWAL.COMPLETED',
    'PLATFORM_WITHDRAWAL.FAILED',
    'PLATFORM_WITHDRAWAL.CANCELED',
  ],
  PlatformWithdrawal,
)

export const AccountChangeWebhook = webhook(
  ['EXTERNAL_ACCOUNT.CHANGE_REPORTED', 'EXTERNAL_ACCOUNT.CHANGE_DECIDED'],
  AccountChange,
)

export const AccountVerificationWebhook = webhook(
  ['EXTERNAL_ACCOUNT.VERIFICATION_UPDATED'],
  AccountVerification,
)

export const ScreeningWebhook = webhook(['SCREENING.WAITING', 'SCREENING.DECIDED'], Screening)

/** A rail's day, as in lists. */
export const ReconciliationWebhook = webhook(['RECONCILIATION.DIFFERENT'], Reconciliation)

export const LedgerCheckpointWebhook = webhook(['LEDGER.CHECKPOINT'], LedgerCheckpoint)

export const InvitationWebhook = webhook(['INVITATION.CLAIMED'], UmaInvitation)

export const MemberWorkWebhook = webhook(['MEMBER.WORK_WAITING'], MemberDigest)

export const MemberRoleWebhook = webhook(['MEMBER_ROLE.CHANGED'], MemberRole)

export const WebhookEndpointWebhook = webhook(['WEBHOOK_ENDPOINT.DISABLED'], WebhookEndpoint)

export const TestWebhook = Type.Object({
  ...Type.Omit(EventEnvelope, ['data']).properties,
  type: OneOfWords(['TEST']),
})

/** The body that a platform may send when it approves a payment. */
export const IncomingPaymentApproval = Type.Object({
  receiverCustomerInfo: Type.Optional(
    FreeFormInput('The information about the receiver that the sending side requested'),
  ),
})
