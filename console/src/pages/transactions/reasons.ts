import type {
  INCOMING_FAILURE_REASONS,
  OUTGOING_FAILURE_REASONS,
  REFUND_REASONS,
} from '@countersign/contract/payments/transactions'
import type { TransactionRecord } from './columns.tsx'

type FailureReason = (typeof INCOMING_FAILURE_REASONS)[number] | (typeof OUTGOING_FAILURE_REASONS)[number]

interface Reason {
  /** The cause. */
  readonly words: string
  /** The remedy. */
  readonly advice: string
}

/** Explains each reason for a failed payment. */
export const FAILURES: Readonly<Record<FailureReason, Reason>> = {
  LNURLP_FAILED: {
    words: 'The address of the receiver could not be looked up at its provider.',
    advice: 'Check the address with the customer, and try again with a new quote.',
  },
  PAY_REQUEST_FAILED: {
    words: 'The other side refused to take or to give the money.',
    advice: 'Ask the customer to check the account, or to use another one.',
  },
  PAYMENT_APPROVAL_WEBHOOK_ERROR: {
    words: 'Your backend was asked to approve the payment and answered with an error.',
    advice: 'Look at the deliveries of the event, and mend the endpoint before the sender tries again.',
  },
  PAYMENT_APPROVAL_TIMED_OUT: {
    words: 'The payment was neither approved nor rejected in time, so it was returned to its sender.',
    advice: 'The sender has to pay again. Approve it within 15 minutes.',
  },
  OFFRAMP_FAILED: {
    words: 'The money arrived but could not be paid out to the account of the customer.',
    advice: 'Check the account it was meant for.',
  },
  MISSING_MANDATORY_PAYEE_DATA: {
    words: 'The sender’s provider requires information about the receiver that the customer’s record lacks.',
    advice: 'Complete the customer’s record, then the sender can pay again.',
  },
  QUOTE_EXPIRED: {
    words: 'The quote expired before the payment was made.',
    advice: 'Make a new quote. A rate is locked for a short time only.',
  },
  QUOTE_EXECUTION_FAILED: {
    words: 'The payment could not be carried out.',
    advice: 'Check the balance and the accounts, then make a new quote.',
  },
  LIGHTNING_PAYMENT_FAILED: {
    words: 'No route to the receiver was found on the Lightning network.',
    advice: 'Try again later, or with a smaller amount.',
  },
  FUNDING_AMOUNT_MISMATCH: {
    words: 'The money that arrived is not the amount that the quote asked for.',
    advice:
      'The money waits under Approvals or goes back. The customer has to pay the exact amount of a new quote.',
  },
  COUNTERPARTY_POST_TX_FAILED: {
    words: 'The receiving bank or provider did not credit the payment.',
    advice: 'Ask the customer to check the account of the receiver. What happened to the money is below.',
  },
}

/** Explains each reason for a refund. */
export const REFUNDS: Readonly<Record<(typeof REFUND_REASONS)[number], string>> = {
  TRANSACTION_FAILED: 'The payment failed, so its money goes back to the payer.',
  USER_CANCELLATION: 'The payer cancelled the payment, so its money goes back.',
  TIMEOUT: 'The payment was not made in time, so its money goes back.',
}

const REFUND_STATE = {
  PENDING: 'The money is on its way back.',
  COMPLETED: 'The money is with the payer again.',
  FAILED:
    'The money could not be given back. Somebody has to settle it by hand: it is in the refunds account of the ledger.',
} as const

/**
 * Explains what went wrong with a payment, and the location of its money. Undefined if nothing went wrong.
 */
export function explainFailure(transaction: TransactionRecord): Reason | undefined {
  const { status, failureReason } = transaction
  if (failureReason) return FAILURES[failureReason]
  if (status === 'REJECTED')
    return { words: 'Somebody of the platform rejected the payment.', advice: 'Its sender has the money.' }
  if (status === 'EXPIRED')
    return { words: 'The payment was not made before its time was over.', advice: 'No money has moved.' }
  if (status === 'REFUNDED')
    return { words: 'The money had arrived and was given back.', advice: 'No action is needed.' }
  if (status === 'FAILED')
    return { words: 'The payment failed. Its rail gave no reason.', advice: 'See the timeline below.' }
  return undefined
}

/** Says where the money of a failed payment is. */
export function describeRefund(transaction: TransactionRecord): string | undefined {
  if (transaction.type !== 'OUTGOING' || !transaction.refund) return undefined
  const { reason, status } = transaction.refund
  return [reason && REFUNDS[reason], REFUND_STATE[status]].filter(Boolean).join(' ')
}
