import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import type { ChainFees } from '../../kernel/ports/chain-nodes.ts'

/** Fees offered by a transaction per unit of gas, in wei. */
export interface OfferedFees {
  readonly maxFee: bigint
  readonly priorityFee: bigint
}

const MAX_GWEI = 500
const WEI_PER_GWEI = 1e9
/** Nodes accept a replacement that raises both fees by an eighth. */
const RAISE_DIVISOR = 8n

/** The most that a transaction may offer for a unit of gas, in wei. */
export function feeLimit({ fees }: Pick<EvmRailValue, 'fees'>): bigint {
  return BigInt(Math.floor((fees?.maxGwei ?? MAX_GWEI) * WEI_PER_GWEI))
}

/** Fees that get a transaction into one of the next blocks; undefined if they exceed the limit. */
export function offer(
  { baseFeePerGas, priorityFeePerGas }: ChainFees,
  limit: bigint,
): OfferedFees | undefined {
  if (baseFeePerGas + priorityFeePerGas > limit) return undefined
  // The base fee can double within six blocks.
  return { maxFee: minOf(2n * baseFeePerGas + priorityFeePerGas, limit), priorityFee: priorityFeePerGas }
}

/**
 * Fees for a replacement: above the earlier ones by the amount that nodes require, and at least the current
 * ones.
 */
export function raiseFees(earlier: OfferedFees, now: ChainFees, limit: bigint): OfferedFees | undefined {
  const present = offer(now, limit)
  const priorityFee = maxOf(raiseByAnEighth(earlier.priorityFee), present?.priorityFee ?? 0n)
  const least = maxOf(raiseByAnEighth(earlier.maxFee), priorityFee)
  if (least > limit) return undefined
  return { maxFee: maxOf(least, present?.maxFee ?? 0n), priorityFee }
}

/** Rounded up, and always larger: a node may suggest 0. */
function raiseByAnEighth(fee: bigint): bigint {
  return fee + fee / RAISE_DIVISOR + 1n
}

function maxOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

function minOf(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
