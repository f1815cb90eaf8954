import { CURRENCIES, type KnownCurrency } from '@countersign/contract/core/currencies'
import type { EvmNetwork } from '@countersign/contract/core/evm'
import { NETWORK_ASSETS, type NetworkAsset } from './network-assets.ts'
import { timesRoundedUp } from './pricing.ts'
import type { RateTable } from './ratios.ts'

/** The coin that pays for gas on a chain. */
export const COIN_OF = {
  ETHEREUM: 'ETH',
  BASE: 'ETH',
  POLYGON: 'POL',
} as const satisfies Record<EvmNetwork, NetworkAsset>

export interface NetworkFee {
  readonly asset: NetworkAsset
  /** In the smallest unit of the asset. */
  readonly amount: bigint
}

/**
 * A network fee in the smallest unit of a currency, rounded up so that it covers the fee. Undefined without a
 * rate.
 */
export function networkFeeRoundedUp(
  rates: RateTable,
  currency: KnownCurrency,
  { asset, amount }: NetworkFee,
): bigint | undefined {
  const [charged, held] = [rates.usdPerUnit(asset), rates.usdPerUnit(currency)]
  if (!charged || !held) return undefined
  return timesRoundedUp(amount, {
    numerator: charged.numerator * held.denominator * 10n ** BigInt(CURRENCIES[currency].decimals),
    denominator: charged.denominator * held.numerator * 10n ** BigInt(NETWORK_ASSETS[asset]),
  })
}
