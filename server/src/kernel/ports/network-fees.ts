import type { NetworkFee } from '../../base/pricing/network-fees.ts'

/** Network fees for payments that no rail of this server sends. */
export interface NetworkFees {
  /**
   * The current network fee of a payment, which is not reserved. Throws 503 `UNAVAILABLE` if it is unknown.
   */
  estimate(payment: NetworkPayment): Promise<NetworkFee>
}

export interface NetworkPayment {
  /** `SPARK`, `LIGHTNING`, `SOLANA`, `TRON`, `POLYGON`, `BASE` or `ETHEREUM`. */
  readonly network: string
  /** The asset being sent. */
  readonly currency: string
  readonly amount: bigint
  readonly destinationAddress: string
}
