/** A balance of an account that sends payments on a chain, and the mark below which it should be topped up. */
export interface ChainLevel {
  /** `TREASURY`, `GAS 0` and so on, by the records of addresses. */
  readonly account: string
  readonly asset: string
  readonly decimals: number
  /** Both in the smallest unit. */
  readonly balance: bigint
  readonly lowWater: bigint
}
