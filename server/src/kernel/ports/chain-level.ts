/** The balance of an account that pays on a chain, and the low-water mark below which it needs a top-up. */
export interface ChainLevel {
  /** The role of the address, numbered for gas accounts: `TREASURY`, `GAS 0`. */
  readonly account: string
  readonly asset: string
  readonly decimals: number
  /** Both in the smallest unit. */
  readonly balance: bigint
  readonly lowWater: bigint
}
