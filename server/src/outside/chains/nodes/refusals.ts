import { isObject } from '@countersign/contract/core/decode'
import type { Hex } from '../../../base/formats/hex.ts'
import { toLowerHex } from '../../../base/formats/hex.ts'
import { CallReverted, type SendResult } from '../../../kernel/ports/chain-nodes.ts'
import type { Refusal } from './failure.ts'
import { isData } from './values.ts'

/**
 * The meanings of nodes' error messages. No standard defines them: these are the messages of geth and its
 * derivatives (op-geth, bor), erigon, nethermind, besu, reth, anvil, and the large providers.
 */
const SENDING: readonly (readonly [SendResult, RegExp])[] = [
  [
    'known',
    /already ?known|known transaction|already imported|already in (?:the )?(?:mem|tx)?pool|same hash/i,
  ],
  ['nonce-used', /nonce (?:is )?too low|old ?nonce/i],
  ['underpriced', /underpriced|fee ?too ?low|replacement ?not ?allowed|less than block base ?fee/i],
  ['underpriced', /(?:gas ?price|tip|fee)\b.*\b(?:below|too low|minimum)/i],
  ['no-funds', /insufficient ?(?:funds|balance)|(?:upfront|overall) cost exceeds/i],
]

/** The meaning of a refused transaction, or undefined if it is unknown. */
export function classifyRefusal({ message }: Refusal): SendResult | undefined {
  return SENDING.find(([, pattern]) => pattern.test(message))?.[0]
}

const REVERTED_CODES: readonly number[] = [3, -32015]
const REVERTED =
  /revert|vm execution|evm error|invalid opcode|invalid jump|out of ?gas|stack (?:under|over)flow/i
const CANNOT_PAY = /insufficient ?(?:funds|balance)|gas required exceeds|cost exceeds/i
const BEFORE_DATA = /^reverted /i

/** Parses the refusal of a call that the chain itself would revert. Undefined for any other refusal. */
export function parseRevert({ code, message, data }: Refusal): CallReverted | undefined {
  if (!REVERTED_CODES.includes(code) && !REVERTED.test(message) && !CANNOT_PAY.test(message)) return undefined
  return new CallReverted(parseRevertData(data), message)
}

function parseRevertData(data: unknown): Hex {
  // Some nodes nest the data one level deeper.
  const text = isObject(data) ? data.data : data
  const digits = typeof text === 'string' ? text.replace(BEFORE_DATA, '') : ''
  return isData(digits) ? toLowerHex(digits) : '0x'
}

const TOO_BUSY = /too many requests|requests? per|rate.?limit|throughput|capacity|credits/i
const TOO_MUCH = /more than|exceed|limited|limit\b|\bmax|too (?:large|wide|big|long|many)|\bover\b/i
const ABOUT_LOGS = /results|logs|blocks?\b|range|response/i

/** True if a node refuses a range of logs because of its length or the size of its result. */
export function isRangeRefusal({ message }: Refusal): boolean {
  return !TOO_BUSY.test(message) && TOO_MUCH.test(message) && ABOUT_LOGS.test(message)
}
