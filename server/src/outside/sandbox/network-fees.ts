import type { NetworkFee } from '../../base/pricing/network-fees.ts'
import type { NetworkFees } from '../../kernel/ports/network-fees.ts'

/**
 * The sandbox's network fees, regardless of what is sent. Plausible and constant, so that tests can predict
 * them: the gas of a token transfer at a typical price, a signature on Solana, the energy of a transfer on
 * Tron, the routing of a Lightning payment.
 */
export const SANDBOX_NETWORK_FEES: Readonly<Record<string, NetworkFee>> = {
  BASE: { asset: 'ETH', amount: 650_000_000_000n },
  ETHEREUM: { asset: 'ETH', amount: 780_000_000_000_000n },
  LIGHTNING: { asset: 'BTC', amount: 10n },
  POLYGON: { asset: 'POL', amount: 2_000_000_000_000_000n },
  SOLANA: { asset: 'SOL', amount: 5_000n },
  SPARK: { asset: 'BTC', amount: 0n },
  TRON: { asset: 'TRX', amount: 6_500_000n },
}

export const sandboxNetworkFees: NetworkFees = {
  async estimate({ network }) {
    const fee = SANDBOX_NETWORK_FEES[network]
    if (!fee) throw new Error(`The sandbox has no fee for ${network}`)
    return fee
  },
}
