/** How value leaves to where an external account is held. */
export interface Rail {
  /**
   * Sends a payment. Called at least once per payment: `transactionId` names it, and a rail that was given it before
   * answers as then.
   */
  deliver(payment: OutgoingPayment): Promise<Delivery>
}

export interface OutgoingPayment {
  readonly transactionId: string
  /** The identifier of the external account: account number, IBAN, address. */
  readonly identifier: string
  readonly amount: bigint
  readonly currency: string
  /** Travels with the payment. */
  readonly reference: string
}

export type Delivery =
  | { readonly outcome: 'delivered' }
  | {
      readonly outcome: 'failed'
      readonly failureReason: 'QUOTE_EXECUTION_FAILED' | 'COUNTERPARTY_POST_TX_FAILED'
    }
