import type { Hex } from '../../../base/formats/hex.ts'
import { toJson } from '../../../base/json/json.ts'
import type { ChainReceipt } from '../../../kernel/ports/chain-nodes.ts'

/** This close to the head two honest nodes may temporarily be on different branches. */
export const TIP_BLOCKS = 4n

/** A node's receipts, and its head from before the query. */
export interface KnownReceipts {
  readonly head: bigint
  readonly receipts: ReadonlyMap<Hex, ChainReceipt>
}

/**
 * The receipts that two nodes agree on. One that only one node has, or in another block, is left out near the
 * lower head; further down, the nodes contradict each other: then undefined.
 */
export function mergeReceipts(
  hashes: readonly Hex[],
  first: KnownReceipts,
  second: KnownReceipts,
): ReadonlyMap<Hex, ChainReceipt> | undefined {
  const lower = first.head < second.head ? first.head : second.head
  const merged = new Map<Hex, ChainReceipt>()
  for (const hash of hashes) {
    const one = first.receipts.get(hash)
    const other = second.receipts.get(hash)
    if (one && other && toJson(one) === toJson(other)) merged.set(hash, one)
    else if (!mayDiffer(one, other, lower)) return undefined
  }
  return merged
}

function mayDiffer(one: ChainReceipt | undefined, other: ChainReceipt | undefined, lower: bigint): boolean {
  if (one && other && one.blockHash === other.blockHash) return false
  return [one, other].every((receipt) => !receipt || receipt.blockNumber > lower - TIP_BLOCKS)
}
