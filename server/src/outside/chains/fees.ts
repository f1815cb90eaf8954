import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import type { ChainFees } from '../../kernel/ports/chain-nodes.ts'

/** A transaction's bid per unit of gas, in wei. */
export interface OfferedFees {
  readonly maxFee: bigint
  readonly priorityFee: bigint
}

const MAX_GWEI = 500
const WEI_PER_GWEI = 1e9
/** Nodes accept a replacement only if it raises both fees by an eighth. */
const RAISE_DIVISOR = 8n

/** The most that a transaction may offer per unit of gas, in wei. */
export function feeLimit({ fees }: Pick<EvmRailValue, 'fees'>): bigint {
  return BigInt(Math.floor((fees?.maxGwei ?? MAX_GWEI) * WEI_PER_GWEI))
}

/** Returns fees that get a transaction into one of the next blocks, or undefined if they exceed the limit. */
export function offer(
  { baseFeePerGas, priorityFeePerGas }: ChainFees,
  limit: bigint,
): OfferedFees | undefined {
  if (baseFeePerGas + priorityFeePerGas > limit) return undefined
  // The base fee can double within six blocks.
  return { maxFee: minOf(2n * baseFeePerGas + priorityFeePerGas, limit), priorityFee: priorityFeePerGas }
}

/**
 * Fees for a replacement: raised over the earlier ones by at least what nodes require, and no lower than
 * current ones.
 */
export function raiseFees(earlier: OfferedFees, now: ChainFees, limit: bigint): OfferedFees | undefined {
  const current = offer(now, limit)
  const priorityFee = maxOf(raiseByAnEighth(earlier.priorityFee), current?.priorityFee ?? 0n)
  const minimum = maxOf(raiseByAnEighth(earlier.maxFee), priorityFee)
  if (minimum > limit) return undefined
  return { maxFee: maxOf(minimum, current?.maxFee ?? 0n), priorityFee }
}

/** Rounds up and always increases the fee, because a node may suggest 0. */
function raiseByAnEighth(fee: bigint): bigint {
  return fee + fee / RAISE_DIVISOR + 1n
}

function maxOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function minOf(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
