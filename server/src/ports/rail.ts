/**
 * How value leaves to where accounts are held, and how it is fetched from there. A bank answers when it likes: a rail
 * that knows no more yet says when to ask again, and asking again is calling again.
 */
export interface Rail {
  /**
   * Sends a payment, or tells what has become of one that was sent before. Called at least once per payment:
   * `transactionId` names it, and it goes out once however often it is asked for.
   */
  send(payment: RailPayment): Promise<RailAnswer>
  /**
   * Likewise, fetches money from an account elsewhere. A quote that is paid from there is pulled and sent under one
   * name: the direction tells them apart. What was delivered may be taken back: `returned`, with nothing to refund.
   */
  pull(payment: RailPayment): Promise<RailAnswer>
  /** How much a pull would bring now, in the smallest unit; undefined where nobody can say before it is tried. */
  pullable(account: PullableAccount): Promise<bigint | undefined>
  /** Whether the money of a payment that was not delivered is back. Called at least once. */
  refund(payment: RailPayment): Promise<RefundOutcome>
}

/** An account elsewhere, as a rail knows it. */
export interface PullableAccount {
  readonly identifier: string
  readonly currency: string
  /** The rail that pulls from it; null where none that reaches it does. */
  readonly paymentRail: string | null
}

export interface RailPayment {
  readonly transactionId: string
  readonly purpose: 'quote' | 'transfer'
  /**
   * What the other account is known by: account number, IBAN, address, UMA address. Null where it is an account here, or
   * nothing was sent to it: then a rail may only have to pay back what was paid in for it.
   */
  readonly identifier: string | null
  /** The network that was asked for; null leaves it to the rail. */
  readonly paymentRail: string | null
  /** The chain that the other account is on, by its account type; null where it is none. */
  readonly chain: string | null
  /** Smallest unit of `currency`. */
  readonly amount: bigint
  readonly currency: string
  /** Names the payment on both ends. */
  readonly reference: string
  /** Travels with the payment: ACH addenda, `remittanceInformation` of FedNow and RTP, information of a wire. */
  readonly remittanceInformation: string | null
  /** When it was first handed over, and what time it is. */
  readonly submittedAt: Date
  readonly now: Date
}

/** Why a payment was not made, in the words of specification 2.11. */
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
  /** It never left. `detail` is what the bank said. */
  | { readonly outcome: 'failed'; readonly failureReason: PaymentFailure; readonly detail: string }
  /** It left and was not delivered; its money comes back by way of `refund`. */
  | {
      readonly outcome: 'returned'
      readonly failureReason: PaymentFailure
      readonly detail: string
      readonly reason: 'TRANSACTION_FAILED' | 'USER_CANCELLATION'
    }

export type RefundOutcome = 'COMPLETED' | 'FAILED'
