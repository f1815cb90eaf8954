import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import type { Hex } from '../../formats/hex.ts'
import type { ChainNodes } from '../../ports/chain-nodes.ts'
import { TOKEN_ABI } from '../formats/token.ts'

/** What an address holds of a token, in its smallest unit; of a block, or now. Throws NodeError. */
export async function balanceOf(nodes: ChainNodes, token: Hex, address: Hex, at?: bigint): Promise<bigint> {
  const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [address] })
  const answer = await nodes.call({ to: token, data }, at)
  // Nothing answers before the block that has the contract. That it is there now was checked at the start.
  if (answer === '0x' && at !== undefined) return 0n
  return decodeFunctionResult({ abi: TOKEN_ABI, functionName: 'balanceOf', data: answer })
}
