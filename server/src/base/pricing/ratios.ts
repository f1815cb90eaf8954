import { CURRENCIES, type KnownCurrency } from '@countersign/contract/core/currencies'
import type { NetworkAsset } from './network-assets.ts'

/** An exact ratio of integers. */
export interface Ratio {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** Exchange rates at one moment. A table never changes, so its holder always sees the same rates. */
export interface RateTable {
  /** When the rates were created, by the clock of the machine. */
  readonly updatedAt: Date
  /** US dollars per unit of a currency or network asset. Undefined if there is no rate. */
  usdPerUnit(currency: KnownCurrency | NetworkAsset): Ratio | undefined
}

/** The validity of a table. A quote made within this time has the same rates as an estimate. */
export const TABLE_MS = 5 * 60 * 1000

/**
 * The number of smallest units of `sending` per smallest unit of `receiving`. Undefined if there is no rate.
 */
export function findRate(
  table: RateTable,
  sending: KnownCurrency,
  receiving: KnownCurrency,
): Ratio | undefined {
  const from = table.usdPerUnit(sending)
  const to = table.usdPerUnit(receiving)
  if (!from || !to) return undefined
  return reduceRatio(
    to.numerator * from.denominator * 10n ** BigInt(CURRENCIES[sending].decimals),
    to.denominator * from.numerator * 10n ** BigInt(CURRENCIES[receiving].decimals),
  )
}

/** Converts a decimal number to a ratio: `1.0850` becomes 10850 / 10000. */
export function toRatio(decimal: string): Ratio {
  const [whole, fraction = ''] = decimal.split('.')
  return reduceRatio(BigInt(`${whole}${fraction}`), 10n ** BigInt(fraction.length))
}

function reduceRatio(numerator: bigint, denominator: bigint): Ratio {
  let [a, b] = [numerator, denominator]
  while (b !== 0n) [a, b] = [b, a % b]
  return { numerator: numerator / a, denominator: denominator / a }
}
