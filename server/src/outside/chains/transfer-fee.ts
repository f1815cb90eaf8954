import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import { CHAIN_COINS, type NetworkFee } from '../../base/pricing/network-fees.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { type ChainFees, type ChainNodes, NodeError } from '../../kernel/ports/chain-nodes.ts'
import { chooseFees, readFeeLimit } from './fees.ts'

/**
 * Gas of one transfer, set above the measured gas of dollar tokens in use. Relaying an authorization to an
 * account without a balance takes 75,000 to 105,000 if the token is behind a proxy; a plain transfer takes
 * 40,000 to 65,000.
 */
const GAS_UNITS = { EIP3009: 120_000n, ERC20: 80_000n } as const
const MARGIN_PERCENT = 20
/** The block time of the fastest chains. */
const FEES_MS = 2000

/**
 * The maximum cost of `transfers` transfers in wei, rounded up and including the margin, if their
 * transactions are signed at the chain's current fees.
 */
export function computeTransferCost(
  entry: EvmRailValue,
  currentFees: ChainFees,
  standard: keyof typeof GAS_UNITS,
  transfers: number,
): bigint {
  const { gasUnits, extraWei = 0n, marginPercent = MARGIN_PERCENT } = entry.fees ?? {}
  const gas = gasUnits === undefined ? GAS_UNITS[standard] : BigInt(gasUnits)
  // The rail never bids above its limit, so a transaction sent later, once fees have fallen, costs no more
  // than this.
  const limit = readFeeLimit(entry)
  const price = chooseFees(currentFees, limit)?.maxFee ?? limit
  const costPerTransfer = gas * price + extraWei
  return (BigInt(transfers) * costPerTransfer * BigInt(100 + marginPercent) + 99n) / 100n
}

/**
 * Estimates the cost of transfers. The chain's fees are read at most every two seconds, regardless of the
 * number of quotes.
 */
export function createTransferFees(
  entry: EvmRailValue,
  nodes: Pick<ChainNodes, 'fees'>,
  clock: () => Date,
): (currency: string, transfers: number) => Promise<NetworkFee> {
  let cached: { readonly fees: Promise<ChainFees>; readonly untilMs: number } | undefined
  const currentFees = (): Promise<ChainFees> => {
    const nowMs = clock().getTime()
    if (cached && nowMs < cached.untilMs) return cached.fees
    const fees = nodes.fees()
    const pending = { fees, untilMs: nowMs + FEES_MS }
    cached = pending
    // A failure is not cached: the next caller retries.
    fees.catch(() => {
      if (cached === pending) cached = undefined
    })
    return fees
  }
  return async (currency, transfers) => {
    const token = entry.tokens.find((candidate) => candidate.currency === currency)
    if (!token) throw new Error(`The rail has no token for ${currency}`)
    const fees = await currentFees().catch((error: unknown) => {
      if (!(error instanceof NodeError)) throw error
      throw new ApiError('UNAVAILABLE', {
        message: `The current network fees of ${entry.network} are unavailable. Try again in a few seconds.`,
      })
    })
    return {
      asset: CHAIN_COINS[entry.network],
      amount: computeTransferCost(entry, fees, token.standard, transfers),
    }
  }
}
