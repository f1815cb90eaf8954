import { CURRENCIES } from '@countersign/contract/core/currencies'

/** What networks charge their fees in, with the places of its smallest unit (wei, lamport, sun, satoshi). */
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
