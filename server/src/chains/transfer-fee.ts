import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import { ApiError } from '../op/operation.ts'
import { type ChainFees, type ChainNodes, NodeError } from '../ports/chain-nodes.ts'
import { COIN_OF, type NetworkFee } from '../pricing/network-fees.ts'

/**
 * The gas of one transfer, above what was measured for dollars in use: an authorization that is relayed to an account without a
 * balance takes 75,000 to 105,000, where the token is behind a proxy; a plain transfer takes 40,000 to 65,000.
 */
const GAS_UNITS = { EIP3009: 120_000n, ERC20: 80_000n } as const
const MARGIN_PERCENT = 20
const GWEI = 10n ** 9n
const MAX_GWEI = 500
/** A block of the fastest chains. */
const FEES_MS = 2000

/** What a unit of gas costs at most, in wei: of a transaction that is signed at these fees, and whose limit the rails file has. */
export function gasPriceMax({ fees }: EvmRailValue, { baseFeePerGas, priorityFeePerGas }: ChainFees): bigint {
  // The base fee can double within six blocks.
  const asked = 2n * baseFeePerGas + priorityFeePerGas
  const most = (BigInt(Math.ceil((fees?.maxGwei ?? MAX_GWEI) * 1000)) * GWEI) / 1000n
  return asked < most ? asked : most
}

/** What so many transfers cost at most, at these fees of the chain, with the margin. In wei, rounded up. */
export function transferCost(
  entry: EvmRailValue,
  present: ChainFees,
  standard: keyof typeof GAS_UNITS,
  transfers: number,
): bigint {
  const { gasUnits, extraWei = 0n, marginPercent = MARGIN_PERCENT } = entry.fees ?? {}
  const gas = gasUnits === undefined ? GAS_UNITS[standard] : BigInt(gasUnits)
  const each = gas * gasPriceMax(entry, present) + extraWei
  return (BigInt(transfers) * each * BigInt(100 + marginPercent) + 99n) / 100n
}

/** Tells what transfers cost. The fees of the chain are asked for every two seconds at most, however many quotes are made. */
export function createTransferFees(
  entry: EvmRailValue,
  nodes: Pick<ChainNodes, 'fees'>,
  clock: () => Date,
): (currency: string, transfers: number) => Promise<NetworkFee> {
  let known: { readonly fees: Promise<ChainFees>; readonly untilMs: number } | undefined
  const present = (): Promise<ChainFees> => {
    const nowMs = clock().getTime()
    if (known && nowMs < known.untilMs) return known.fees
    const fees = nodes.fees()
    const asked = { fees, untilMs: nowMs + FEES_MS }
    known = asked
    // A failure is not kept: the next one asks again.
    fees.catch(() => {
      if (known === asked) known = undefined
    })
    return fees
  }
  return async (currency, transfers) => {
    const token = entry.tokens.find((one) => one.currency === currency)
    if (!token) throw new Error(`The rail has no token for ${currency}`)
    const fees = await present().catch((error: unknown) => {
      if (!(error instanceof NodeError)) throw error
      throw new ApiError('UNAVAILABLE', {
        message: `The fees of ${entry.network} cannot be read now. Try again soon.`,
      })
    })
    return { asset: COIN_OF[entry.network], amount: transferCost(entry, fees, token.standard, transfers) }
  }
}
