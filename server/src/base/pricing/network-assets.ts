import { CURRENCIES } from '@countersign/contract/core/currencies'

/**
 * The assets in which networks charge fees, with the decimal places of their smallest unit (wei, lamport,
 * sun, satoshi).
 */
export const NETWORK_ASSETS = {
  BTC: CURRENCIES.BTC.decimals,
  ETH: 18,
  POL: 18,
  SOL: 9,
  TRX: 6,
} as const

export type NetworkAsset = keyof typeof NETWORK_ASSETS

export function isNetworkAsset(code: string): code is NetworkAsset {
  return Object.hasOwn(NETWORK_ASSETS, code)
}
