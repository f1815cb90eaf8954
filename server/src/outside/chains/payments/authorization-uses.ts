import type { Hex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { type ChainLog, type ChainReceipt, NodeError } from '../../../kernel/ports/chain-nodes.ts'
import { requireColumn } from '../../../storage/read/required.ts'
import type { ChainPaymentRow } from '../../../storage/rows/chain.ts'
import type { EvmRail } from '../evm-rail.ts'
import { toFeeTerms, toTerms } from '../follow/claims.ts'
import {
  buildAuthorizationStateCall,
  CANCELLED_TOPIC,
  decodeAuthorizationState,
  TRANSFER_TOPIC,
  toTopic,
  USED_TOPIC,
} from '../formats/calls.ts'
import { isSameTransfer, parseAuthorizationEvent, parseTransfer } from '../formats/transfers.ts'
import { judgeReceipt } from './judge-receipt.ts'

/** A transfer that belongs to a payment. The chain makes it at most once. */
export type PaymentPart = 'payment' | 'fee'

/**
 * The outcome of an authorization in the blocks up to a confirmed one. Anyone may submit it to the chain, and
 * the key's owner may use its nonce for another transfer, so only the transfer itself proves that it was
 * made.
 */
export type AuthorizationUse =
  | { readonly outcome: 'made'; readonly hash: Hex; readonly block: bigint }
  /**
   * The transfer can never be made. `hasPaidPayee`: the transaction has moved a different amount to the
   * payee.
   */
  | { readonly outcome: 'used-otherwise'; readonly hasPaidPayee: boolean }
  | { readonly outcome: 'cancelled' }
  | { readonly outcome: 'unused' }
  /** The token reports that the authorization was used, but no transaction shows for which transfer. */
  | { readonly outcome: 'unclear' }

const BLOCKS_AT_ONCE = 2000n
const UNCLEAR: AuthorizationUse = { outcome: 'unclear' }

/**
 * True if an authorization was used or canceled by the given block, or by the latest one. Throws NodeError.
 */
export async function isAuthorizationUsed(
  { nodes }: EvmRail,
  { token, sender }: Pick<ChainPaymentRow, 'token' | 'sender'>,
  nonce: Hex,
  at?: bigint,
): Promise<boolean> {
  return decodeAuthorizationState(await nodes.call(buildAuthorizationStateCall(token, sender, nonce), at))
}

export function getNonce(payment: ChainPaymentRow, part: PaymentPart): Hex {
  return requireColumn(payment, part === 'payment' ? 'nonce' : 'fee_nonce')
}

/** Finds out what became of an authorization. Throws NodeError. */
export async function findAuthorizationUse(
  op: Op,
  rail: EvmRail,
  payment: ChainPaymentRow,
  part: PaymentPart,
  confirmed: bigint,
): Promise<AuthorizationUse> {
  const nonce = getNonce(payment, part)
  const isSpent = await isAuthorizationUsed(rail, payment, nonce, confirmed)
  // Reads the logs in both cases: a node that has lost one of them must not cause a second payment or refund.
  const log = await findLog(rail, payment, nonce, confirmed, isSpent)
  if (!log) {
    if (!isSpent) return { outcome: 'unused' }
    return (await wasUsedBefore(rail, payment, nonce))
      ? { outcome: 'used-otherwise', hasPaidPayee: false }
      : UNCLEAR
  }
  if (!isSpent) return UNCLEAR
  if (parseAuthorizationEvent(log)?.isCanceled) return { outcome: 'cancelled' }
  const receipt = await rail.nodes.receipt(log.transactionHash)
  const isComplete =
    receipt?.blockHash === log.blockHash && receipt.logs.some((candidate) => isSameLog(candidate, log))
  return isComplete ? judgeUse(op, rail, payment, part, receipt) : UNCLEAR
}

async function judgeUse(
  op: Op,
  rail: EvmRail,
  payment: ChainPaymentRow,
  part: PaymentPart,
  receipt: ChainReceipt,
): Promise<AuthorizationUse> {
  const { [part]: proof } = await judgeReceipt(op, rail.name, payment, receipt)
  if (proof === 'made') return { outcome: 'made', hash: receipt.transactionHash, block: receipt.blockNumber }
  if (proof !== 'used-otherwise' || !(await hasAllTransfers(rail, payment, part, receipt))) return UNCLEAR
  return { outcome: 'used-otherwise', hasPaidPayee: hasPaidPayee(payment, receipt) }
}

/** True if a transaction moved anything from the payment's sender to its payee. */
export function hasPaidPayee(
  { token, sender, recipient }: ChainPaymentRow,
  { status, logs }: ChainReceipt,
): boolean {
  return logs.some((log) => {
    const transfer = status === 'success' && log.address === token ? parseTransfer(log) : undefined
    return transfer?.sender === sender && transfer.recipient === recipient && transfer.amount > 0n
  })
}

/**
 * False if the block has a log of this transfer that is missing from the receipt: a single wrong response
 * must not fail a payment.
 */
async function hasAllTransfers(
  { nodes }: EvmRail,
  payment: ChainPaymentRow,
  part: PaymentPart,
  { transactionHash, blockNumber, logs }: ChainReceipt,
): Promise<boolean> {
  const terms = part === 'payment' ? toTerms(payment) : toFeeTerms(payment)
  if (!terms) return false
  const topics = [TRANSFER_TOPIC, toTopic(terms.sender), toTopic(terms.recipient)]
  const found = await nodes.logs({ address: terms.token, topics, from: blockNumber, to: blockNumber })
  return found
    .filter((log) => log.transactionHash === transactionHash && isSameTransfer(parseTransfer(log), terms))
    .every((log) => logs.some((candidate) => isSameLog(candidate, log)))
}

function isSameLog(left: ChainLog, right: ChainLog): boolean {
  return left.blockHash === right.blockHash && left.logIndex === right.logIndex && left.data === right.data
}

/**
 * True if an authorization without a log was already used before its payment was created, at the last block
 * followed by then. False if the node no longer has the state of that block.
 */
async function wasUsedBefore(rail: EvmRail, payment: ChainPaymentRow, nonce: Hex): Promise<boolean> {
  if (payment.attempts > 0) return false
  try {
    return await isAuthorizationUsed(rail, payment, nonce, payment.from_block)
  } catch (error) {
    if (error instanceof NodeError) return false
    throw error
  }
}

/**
 * Finds the log of a nonce. A nonce is not secret, so it may have been used shortly before its payment was
 * made.
 */
async function findLog(
  { nodes }: EvmRail,
  { token, sender, from_block }: ChainPaymentRow,
  nonce: Hex,
  confirmed: bigint,
  isSpent: boolean,
): Promise<ChainLog | undefined> {
  const before = from_block > BLOCKS_AT_ONCE ? from_block - BLOCKS_AT_ONCE : 0n
  const lowest = isSpent ? before : from_block
  for (let to = confirmed; to >= lowest; to -= BLOCKS_AT_ONCE) {
    const first = to - BLOCKS_AT_ONCE + 1n
    const from = first > lowest ? first : lowest
    const topics = [[USED_TOPIC, CANCELLED_TOPIC], toTopic(sender), nonce]
    const [log] = await nodes.logs({ address: token, topics, from, to })
    if (log) return log
  }
  return undefined
}
