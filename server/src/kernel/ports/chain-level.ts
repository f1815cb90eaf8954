/** The balance of an account that pays on a chain, and the low-water mark at which it needs a top-up. */
export interface ChainLevel {
  /** The role of the address, with a number for gas accounts: `TREASURY`, `GAS 0`. */
  readonly account: string
  readonly asset: string
  readonly decimals: number
  /** In the smallest unit, like `lowWater`. */
  readonly balance: bigint
  readonly lowWater: bigint
}
