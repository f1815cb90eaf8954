import type {
  INCOMING_FAILURE_REASONS,
  OUTGOING_FAILURE_REASONS,
  REFUND_REASONS,
} from '@countersign/contract/payments/transactions'
import type { TransactionRecord } from './columns.tsx'

type FailureReason = (typeof INCOMING_FAILURE_REASONS)[number] | (typeof OUTGOING_FAILURE_REASONS)[number]

interface Reason {
  /** The cause. */
  readonly message: string
  /** The remedy. */
  readonly advice: string
}

/** Explains each reason for a failed payment. */
export const FAILURES: Readonly<Record<FailureReason, Reason>> = {
  LNURLP_FAILED: {
    message: 'The receiver’s address could not be looked up at its provider.',
    advice: 'Check the address with the customer, and try again with a new quote.',
  },
  PAY_REQUEST_FAILED: {
    message: 'The other side refused to accept or to send the money.',
    advice: 'Ask the customer to check the account, or to use another one.',
  },
  PAYMENT_APPROVAL_WEBHOOK_ERROR: {
    message: 'Your backend returned an error when it was asked to approve the payment.',
    advice: 'Check the event’s deliveries, and fix the endpoint before the sender tries again.',
  },
  PAYMENT_APPROVAL_TIMED_OUT: {
    message: 'The payment was neither approved nor rejected in time, so it was returned to its sender.',
    advice: 'The sender has to pay again. Approve it within 15 minutes.',
  },
  OFFRAMP_FAILED: {
    message: 'The money arrived but could not be paid out to the customer’s account.',
    advice: 'Check the destination account.',
  },
  MISSING_MANDATORY_PAYEE_DATA: {
    message:
      'The sender’s provider requires information about the receiver that the customer’s record lacks.',
    advice: 'Complete the customer’s record, then the sender can pay again.',
  },
  QUOTE_EXPIRED: {
    message: 'The quote expired before the payment was made.',
    advice: 'Create a new quote. Rates are locked only for a short time.',
  },
  QUOTE_EXECUTION_FAILED: {
    message: 'The payment could not be carried out.',
    advice: 'Check the balance and the accounts, then create a new quote.',
  },
  LIGHTNING_PAYMENT_FAILED: {
    message: 'No route to the receiver was found on the Lightning network.',
    advice: 'Try again later, or with a smaller amount.',
  },
  FUNDING_AMOUNT_MISMATCH: {
    message: 'The money that arrived is not the amount in the quote.',
    advice:
      'The money waits under Approvals or is returned. The customer has to pay the exact amount of a new quote.',
  },
  COUNTERPARTY_POST_TX_FAILED: {
    message: 'The receiving bank or provider did not credit the payment.',
    advice: 'Ask the customer to check the receiver’s account. The money’s current state is below.',
  },
}

/** Explains each reason for a refund. */
export const REFUNDS: Readonly<Record<(typeof REFUND_REASONS)[number], string>> = {
  TRANSACTION_FAILED: 'The payment failed, so the money is returned to the payer.',
  USER_CANCELLATION: 'The payer canceled the payment, so the money is returned.',
  TIMEOUT: 'The payment was not made in time, so the money is returned.',
}

const REFUND_STATE = {
  PENDING: 'The money is on its way back.',
  COMPLETED: 'The payer has the money back.',
  FAILED:
    'The money could not be returned. It is in the ledger’s refunds account and must be settled manually.',
} as const

/**
 * Explains what went wrong with a payment and where its money is. Undefined if nothing went wrong.
 */
export function explainFailure(transaction: TransactionRecord): Reason | undefined {
  const { status, failureReason } = transaction
  if (failureReason) return FAILURES[failureReason]
  if (status === 'REJECTED')
    return { message: 'The platform rejected the payment.', advice: 'The sender has the money back.' }
  if (status === 'EXPIRED')
    return { message: 'The payment was not made before it expired.', advice: 'No money has moved.' }
  if (status === 'REFUNDED')
    return { message: 'The money arrived and was refunded.', advice: 'No action is needed.' }
  if (status === 'FAILED')
    return { message: 'The payment failed. Its rail gave no reason.', advice: 'See the timeline below.' }
  return undefined
}

/** Says where the money of a failed payment is. */
export function describeRefund(transaction: TransactionRecord): string | undefined {
  if (transaction.type !== 'OUTGOING' || !transaction.refund) return undefined
  const { reason, status } = transaction.refund
  return [reason && REFUNDS[reason], REFUND_STATE[status]].filter(Boolean).join(' ')
}
