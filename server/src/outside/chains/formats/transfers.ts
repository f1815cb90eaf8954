import type { Hex } from '../../../base/formats/hex.ts'
import type { ChainLog } from '../../../kernel/ports/chain-nodes.ts'
import { CANCELLED_TOPIC, TRANSFER_TOPIC, USED_TOPIC } from './calls.ts'

const WORD_DIGITS = 64
/** An address as a topic: 12 zero bytes, then the 20 bytes of the address. */
const ADDRESS_TOPIC = /^0x0{24}([0-9a-f]{40})$/

/** A transfer as logged by its token contract. */
export interface TransferTerms {
  readonly sender: Hex
  readonly recipient: Hex
  readonly amount: bigint
}

/**
 * Parses the transfer in a token's log, with addresses in lower case. Returns undefined for anything else,
 * such as an ERC-721 transfer, whose log has a fourth topic and no amount.
 */
export function parseTransfer({
  topics,
  data,
}: Pick<ChainLog, 'topics' | 'data'>): TransferTerms | undefined {
  if (topics[0] !== TRANSFER_TOPIC || topics.length !== 3 || data.length !== 2 + WORD_DIGITS) return undefined
  const [sender, recipient] = [parseAddressTopic(topics[1]), parseAddressTopic(topics[2])]
  return sender && recipient && { sender, recipient, amount: BigInt(data) }
}

/** Parses the authorization that a log reports as used or canceled. Returns undefined for any other log. */
export function parseAuthorizationEvent({ topics }: Pick<ChainLog, 'topics'>) {
  const [event, authorizer, nonce] = [topics[0], parseAddressTopic(topics[1]), topics[2]]
  if ((event !== USED_TOPIC && event !== CANCELLED_TOPIC) || topics.length !== 3) return undefined
  return authorizer && nonce && { isCanceled: event === CANCELLED_TOPIC, authorizer, nonce }
}

/** Like `parseAuthorizationEvent`, but returns undefined for cancellations. */
export function parseUsedAuthorization(log: Pick<ChainLog, 'topics'>) {
  const event = parseAuthorizationEvent(log)
  return event && !event.isCanceled ? event : undefined
}

export function isSameTransfer(left: TransferTerms | undefined, right: TransferTerms): boolean {
  return left?.sender === right.sender && left.recipient === right.recipient && left.amount === right.amount
}

function parseAddressTopic(topic: Hex | undefined): Hex | undefined {
  const digits = topic === undefined ? undefined : ADDRESS_TOPIC.exec(topic)?.[1]
  return digits === undefined ? undefined : `0x${digits}`
}
