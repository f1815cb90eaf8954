import { CURRENCIES, type KnownCurrency } from '@countersign/contract/core/currencies'
import type { NetworkAsset } from './network-assets.ts'

/** An exact ratio of integers. */
export interface Ratio {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** Exchange rates at one moment. A table does not change, so its holder always reads the same rates. */
export interface RateTable {
  /** When these rates were made, by the machine's time. */
  readonly updatedAt: Date
  /** US dollars for one unit of a currency or network asset; undefined without a rate. */
  usdPerUnit(currency: KnownCurrency | NetworkAsset): Ratio | undefined
}

/** The validity of a table. A quote within that time has the same rates as an estimate. */
export const TABLE_MS = 5 * 60 * 1000

/** Smallest units of `sending` for one smallest unit of `receiving`; undefined without a rate. */
export function rateBetween(
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

/** A decimal number as a ratio: `1.0850` is 10850 / 10000. */
export function ratioOf(decimal: string): Ratio {
  const [whole, fraction = ''] = decimal.split('.')
  return reduceRatio(BigInt(`${whole}${fraction}`), 10n ** BigInt(fraction.length))
}

function reduceRatio(numerator: bigint, denominator: bigint): Ratio {
  let [a, b] = [numerator, denominator]
  while (b !== 0n) [a, b] = [b, a % b]
  return { numerator: numerator / a, denominator: denominator / a }
}
