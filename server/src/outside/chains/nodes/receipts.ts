import type { Hex } from '../../../base/formats/hex.ts'
import { toJson } from '../../../base/json/json.ts'
import type { ChainReceipt } from '../../../kernel/ports/chain-nodes.ts'

/** This close to the head, two honest nodes may temporarily be on different branches. */
export const TIP_BLOCKS = 4n

/** A node's receipts, and its head as read before them. */
export interface KnownReceipts {
  readonly head: bigint
  readonly receipts: ReadonlyMap<Hex, ChainReceipt>
}

/**
 * The receipts that two nodes agree on. A receipt that only one node has, or that differs in its block, is
 * left out if it is near the lower head. Further down it is a contradiction, and the result is undefined.
 */
export function mergeReceipts(
  hashes: readonly Hex[],
  first: KnownReceipts,
  second: KnownReceipts,
): ReadonlyMap<Hex, ChainReceipt> | undefined {
  const lower = first.head < second.head ? first.head : second.head
  const merged = new Map<Hex, ChainReceipt>()
  for (const hash of hashes) {
    const receiptA = first.receipts.get(hash)
    const receiptB = second.receipts.get(hash)
    if (receiptA && receiptB && toJson(receiptA) === toJson(receiptB)) merged.set(hash, receiptA)
    else if (!mayDiffer(receiptA, receiptB, lower)) return undefined
  }
  return merged
}

function mayDiffer(
  receiptA: ChainReceipt | undefined,
  receiptB: ChainReceipt | undefined,
  lower: bigint,
): boolean {
  if (receiptA && receiptB && receiptA.blockHash === receiptB.blockHash) return false
  return [receiptA, receiptB].every((receipt) => !receipt || receipt.blockNumber > lower - TIP_BLOCKS)
}
