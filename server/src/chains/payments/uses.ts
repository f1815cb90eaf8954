import type { ChainPaymentRow } from '../../db/schema/chain-tables.ts'
import type { Hex } from '../../formats/hex.ts'
import type { ChainLog } from '../../ports/chain-nodes.ts'
import { CANCELLED_TOPIC, stateCall, stateIn, topicOf, USED_TOPIC } from '../formats/calls.ts'
import type { EvmRail } from '../rail.ts'

/**
 * What became of an authorization, as the blocks up to a confirmed one say: anybody may bring it to the chain, so only the token's own
 * words count.
 */
export type Use =
  | { readonly is: 'used'; readonly hash: Hex; readonly block: bigint }
  | { readonly is: 'cancelled' }
  | { readonly is: 'unused' }
  /** The token says that it was used, but nobody shows where. */
  | { readonly is: 'unclear' }

const BLOCKS_AT_ONCE = 2000n

/** Whether an authorization was used or cancelled by a block; where none is given, by now. Throws NodeError. */
export async function isUsed(
  { nodes }: EvmRail,
  { token, sender }: Pick<ChainPaymentRow, 'token' | 'sender'>,
  nonce: Hex,
  at?: bigint,
): Promise<boolean> {
  return stateIn(await nodes.call(stateCall(token, sender, nonce), at))
}

/** Throws NodeError. */
export async function findUse(rail: EvmRail, payment: ChainPaymentRow, confirmed: bigint): Promise<Use> {
  if (payment.nonce === null) throw new Error(`${payment.id} is a plain transfer`)
  const isSpent = await isUsed(rail, payment, payment.nonce, confirmed)
  // The logs are asked for in both cases: a node that has lost one of them must not have a payment made or given back twice.
  const log = await findLog(rail, payment, payment.nonce, confirmed)
  if (!log) return { is: isSpent ? 'unclear' : 'unused' }
  if (!isSpent) return { is: 'unclear' }
  return log.topics[0] === CANCELLED_TOPIC
    ? { is: 'cancelled' }
    : { is: 'used', hash: log.transactionHash, block: log.blockNumber }
}

async function findLog(
  { nodes }: EvmRail,
  { token, sender, from_block }: ChainPaymentRow,
  nonce: Hex,
  confirmed: bigint,
): Promise<ChainLog | undefined> {
  for (let to = confirmed; to >= from_block; to -= BLOCKS_AT_ONCE) {
    const first = to - BLOCKS_AT_ONCE + 1n
    const from = first > from_block ? first : from_block
    const topics = [[USED_TOPIC, CANCELLED_TOPIC], topicOf(sender), nonce]
    const [log] = await nodes.logs({ address: token, topics, from, to })
    if (log) return log
  }
  return undefined
}
