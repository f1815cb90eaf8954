import { CURRENCIES, type KnownCurrency } from '@countersign/contract/core/currencies'
import type { EvmNetwork } from '@countersign/contract/core/evm'
import { NETWORK_ASSETS, type NetworkAsset } from './network-assets.ts'
import { multiplyRoundedUp } from './pricing.ts'
import type { RateTable } from './ratios.ts'

/** The coin with which gas is paid on a chain. */
export const CHAIN_COINS = {
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
 * Converts a network fee to the smallest unit of a currency, rounded up so that the fee is covered. Undefined
 * if there is no rate.
 */
export function networkFeeRoundedUp(
  rates: RateTable,
  currency: KnownCurrency,
  { asset, amount }: NetworkFee,
): bigint | undefined {
  const [assetRate, accountRate] = [rates.usdPerUnit(asset), rates.usdPerUnit(currency)]
  if (!assetRate || !accountRate) return undefined
  return multiplyRoundedUp(amount, {
    numerator: assetRate.numerator * accountRate.denominator * 10n ** BigInt(CURRENCIES[currency].decimals),
    denominator: assetRate.denominator * accountRate.numerator * 10n ** BigInt(NETWORK_ASSETS[asset]),
  })
}
