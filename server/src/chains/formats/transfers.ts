import type { Hex } from '../../formats/hex.ts'
import type { ChainLog } from '../../ports/chain-nodes.ts'
import { TRANSFER_TOPIC, USED_TOPIC } from './calls.ts'

const ADDRESS_DIGITS = 40
const WORD_DIGITS = 64

/** What a log of a token says of a transfer: addresses in lower case. Undefined where it is another event, or of another form. */
export function transferOf({ topics, data }: ChainLog) {
  const [event, sender, recipient] = topics
  if (event !== TRANSFER_TOPIC || topics.length !== 3 || !sender || !recipient) return undefined
  if (data.length !== 2 + WORD_DIGITS) return undefined
  return { sender: addressOf(sender), recipient: addressOf(recipient), amount: BigInt(data) }
}

/** Whose authorization a log says was used. Undefined where it is another event. */
export function usedOf({ topics }: ChainLog) {
  const [event, authorizer, nonce] = topics
  return event === USED_TOPIC && authorizer && nonce
    ? { authorizer: addressOf(authorizer), nonce }
    : undefined
}

function addressOf(topic: Hex): Hex {
  return `0x${topic.slice(-ADDRESS_DIGITS)}`
}
