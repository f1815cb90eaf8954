/**
 * Sends value to external accounts and pulls it from them. A bank may answer late: a rail without an outcome says when
 * to ask again, and asking again is a repeated call.
 */
export interface Rail {
  /**
   * Sends a payment, or returns the outcome of an earlier call. Called at least once per payment. Idempotent:
   * `transactionId` names the payment, which goes out once.
   */
  send(payment: RailPayment): Promise<RailAnswer>
  /**
   * Pulls money from an external account, in the same way. A quote that is paid from one is pulled and sent under the
   * same name, in two directions. A delivered pull may be returned: `returned`, with nothing to refund.
   */
  pull(payment: RailPayment): Promise<RailAnswer>
  /** The amount that a pull would bring now, in the smallest unit; undefined where it is unknown before the attempt. */
  pullable(account: PullableAccount): Promise<bigint | undefined>
  /** The outcome of the refund of an undelivered payment. Called at least once. */
  refund(payment: RailPayment): Promise<RefundOutcome>
}

/** An external account, as a rail knows it. */
export interface PullableAccount {
  readonly identifier: string
  readonly currency: string
  /** The rail that pulls from it; null where none of its rails can pull. */
  readonly paymentRail: string | null
}

export interface RailPayment {
  readonly transactionId: string
  readonly purpose: 'quote' | 'transfer'
  /**
   * The identifier of the other account: account number, IBAN, address, UMA address. Null for an internal account, or
   * where nothing was sent: a rail may then only have to refund an incoming payment.
   */
  readonly identifier: string | null
  /** The requested network; null leaves the choice to the rail. */
  readonly paymentRail: string | null
  /** The chain of the other account, by its account type; null where it is not on a chain. */
  readonly chain: string | null
  /** Smallest unit of `currency`. */
  readonly amount: bigint
  readonly currency: string
  /** Names the payment at both ends. */
  readonly reference: string
  /** Sent with the payment: ACH addenda, `remittanceInformation` of FedNow and RTP, information of a wire. */
  readonly remittanceInformation: string | null
  /** The time of the first call, and the current time. */
  readonly submittedAt: Date
  readonly now: Date
}

/** Why a payment failed, in the words of specification 2.11. */
export type PaymentFailure =
  | 'QUOTE_EXECUTION_FAILED'
  | 'COUNTERPARTY_POST_TX_FAILED'
  | 'LIGHTNING_PAYMENT_FAILED'
  | 'OFFRAMP_FAILED'
  | 'PAY_REQUEST_FAILED'

export type RailAnswer =
  /** On its way. */
  | { readonly outcome: 'pending'; readonly askAgainAt: Date }
  /** Arrived; on a chain, under this hash. With `askAgainAt` it may still come back. */
  | { readonly outcome: 'delivered'; readonly askAgainAt?: Date; readonly transactionHash?: string }
  /** It was never sent. `detail` is the bank's text. */
  | { readonly outcome: 'failed'; readonly failureReason: PaymentFailure; readonly detail: string }
  /** It was sent and not delivered. `refund` reports when its money is back. */
  | {
      readonly outcome: 'returned'
      readonly failureReason: PaymentFailure
      readonly detail: string
      readonly reason: 'TRANSACTION_FAILED' | 'USER_CANCELLATION'
    }

export type RefundOutcome = 'COMPLETED' | 'FAILED'
