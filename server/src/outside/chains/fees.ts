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
export function readFeeLimit({ fees }: Pick<EvmRailValue, 'fees'>): bigint {
  return BigInt(Math.floor((fees?.maxGwei ?? MAX_GWEI) * WEI_PER_GWEI))
}

/** Returns fees that get a transaction into one of the next blocks, or undefined if they exceed the limit. */
export function chooseFees(
  { baseFeePerGas, priorityFeePerGas }: ChainFees,
  limit: bigint,
): OfferedFees | undefined {
  if (baseFeePerGas + priorityFeePerGas > limit) return undefined
  // The base fee can double within six blocks.
  return { maxFee: pickLower(2n * baseFeePerGas + priorityFeePerGas, limit), priorityFee: priorityFeePerGas }
}

/**
 * Raises the fees for a replacement by at least the step that nodes require, and to at least the chain's
 * current fees. Undefined if they exceed the limit.
 */
export function raiseFees(
  earlier: OfferedFees,
  chainFees: ChainFees,
  limit: bigint,
): OfferedFees | undefined {
  const current = chooseFees(chainFees, limit)
  const priorityFee = pickHigher(raiseByAnEighth(earlier.priorityFee), current?.priorityFee ?? 0n)
  const minimum = pickHigher(raiseByAnEighth(earlier.maxFee), priorityFee)
  if (minimum > limit) return undefined
  return { maxFee: pickHigher(minimum, current?.maxFee ?? 0n), priorityFee }
}

/** Rounds up and always increases the fee, because a node may suggest 0. */
function raiseByAnEighth(fee: bigint): bigint {
  return fee + fee / RAISE_DIVISOR + 1n
}

function pickHigher(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function pickLower(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
