import type { NetworkFee } from '../../base/pricing/network-fees.ts'

/** What networks charge for carrying a payment, where no rail of this server is on them. */
export interface NetworkFees {
  /** The fee of a payment on its network now. Reserves nothing. Error: 503 `UNAVAILABLE` where it cannot be said. */
  estimate(payment: NetworkPayment): Promise<NetworkFee>
}

export interface NetworkPayment {
  /** `SPARK`, `LIGHTNING`, `SOLANA`, `TRON`, `POLYGON`, `BASE` or `ETHEREUM`. */
  readonly network: string
  /** The asset that is sent. */
  readonly currency: string
  /** In its smallest unit. */
  readonly amount: bigint
  readonly destinationAddress: string
}
