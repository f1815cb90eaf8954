import type { Hex } from '../../../base/formats/hex.ts'
import { NodeError, type SendResult } from '../../../kernel/ports/chain-nodes.ts'
import { NodeFailure, Refusal } from './failure.ts'
import type { Node } from './node.ts'
import { classifyRefusal } from './refusals.ts'
import { readHash } from './values.ts'

/** The outcome at one node. `unknown`: it may have the transaction. `unsent`: this call did not send it. */
type NodeOutcome =
  | SendResult
  | { readonly node: Node; readonly delivery: 'unknown' | 'unsent'; readonly detail: string }

/**
 * Refusals that count once all nodes have responded, the strongest first, and only if no node may have
 * accepted the transaction.
 */
const REFUSED = ['underpriced', 'no-funds'] as const

/**
 * Sends a signed transaction to all nodes in parallel, and returns as soon as the outcome is certain. Throws
 * NodeError.
 */
export async function sendToAll(nodes: readonly Node[], raw: Hex): Promise<SendResult> {
  const attempts = nodes.map((node) => sendTo(node, raw))
  return Promise.any(attempts.map(waitForArrival)).catch(async () =>
    combineOutcomes(await Promise.all(attempts)),
  )
}

async function waitForArrival(attempt: Promise<NodeOutcome>): Promise<SendResult> {
  const outcome = await attempt
  // A single node's report is enough for either of these outcomes.
  if (outcome === 'taken' || outcome === 'known') return outcome
  throw new Error('not accepted by this node')
}

function combineOutcomes(outcomes: readonly NodeOutcome[]): SendResult {
  if (outcomes.includes('nonce-used')) return 'nonce-used'
  const refused = REFUSED.find((refusal) => outcomes.includes(refusal))
  const failed = outcomes.filter((outcome) => typeof outcome === 'object')
  if (refused && failed.every(({ delivery }) => delivery === 'unsent')) return refused
  const details = failed.map(({ node, detail }) => `${node.name}: ${detail}`)
  throw new NodeError(
    'NO_ANSWER',
    `It is unknown whether a transaction was accepted: ${[...details, ...(refused ? [refused] : [])].join('; ')}`,
  )
}

async function sendTo(node: Node, raw: Hex): Promise<NodeOutcome> {
  let delivery: 'unknown' | 'unsent' = 'unsent'
  try {
    await node.check()
    delivery = 'unknown'
    readHash(await node.call('eth_sendRawTransaction', raw), 'The hash of a sent transaction')
    node.recordSuccess()
    return 'taken'
  } catch (error) {
    if (error instanceof Refusal) {
      node.recordSuccess()
      return classifyRefusal(error) ?? { node, delivery, detail: `refuses: ${error.message} (${error.code})` }
    }
    if (!(error instanceof NodeFailure)) throw error
    node.recordFailure(error)
    return { node, delivery, detail: error.message }
  }
}
