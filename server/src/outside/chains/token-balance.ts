import type { Hex } from '../../base/formats/hex.ts'
import type { ChainNodes } from '../../kernel/ports/chain-nodes.ts'
import { buildBalanceCall, decodeBalance } from './formats/calls.ts'

/**
 * An address's token balance in the smallest unit, now or at a block. 0 at a block before the token contract
 * was created. Throws NodeError.
 */
export async function readTokenBalance(
  nodes: ChainNodes,
  token: Hex,
  account: Hex,
  at?: bigint,
): Promise<bigint> {
  const result = await nodes.call(buildBalanceCall(token, account), at)
  return result === '0x' && at !== undefined ? 0n : decodeBalance(result)
}
