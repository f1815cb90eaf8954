import type { ChainAddressRow, ChainPaymentRow } from '../../db/schema/chain-tables.ts'
import type { Hex } from '../../formats/hex.ts'
import { CallReverted, type ChainBlock } from '../../ports/chain-nodes.ts'
import type { ChainAlert } from '../../ports/metrics.ts'
import { type Call, transferCall } from '../formats/calls.ts'
import { isContract } from '../payees.ts'
import type { EvmRail } from '../rail.ts'
import { tokenBalance } from '../token-balance.ts'
import { findUse, isUsed, type Use } from './uses.ts'

/** What is to be done with a payment that waits. */
export type Verdict =
  | { readonly do: 'send'; readonly parts: readonly Part[]; readonly gas: bigint }
  | { readonly do: 'wait'; readonly note: string; readonly seconds: number; readonly alert?: ChainAlert }
  | { readonly do: 'fail'; readonly note: string }
  | { readonly do: 'pay'; readonly use: Extract<Use, { is: 'used' }> }

/** What of a payment is to be brought to the chain. */
export type Part = 'payment' | 'fee'

/** The chain as it is while payments are examined. */
export interface Moment {
  readonly head: ChainBlock
  readonly confirmed: ChainBlock
}

const SOON_SECONDS = 2
const LATER_SECONDS = 5
/** A wallet's signature has to count for so long still when it is sent. */
const VALID_SECONDS_MIN = 30n
/** The fee of a payment that somebody else has brought to the chain is tried so often. */
const FEE_ATTEMPTS_MAX = 3
/** Gas beyond what a plain transfer was estimated to need: a quarter, and the check and the note of a signature. */
const GAS_OF_SIGNATURE = 90_000n
const GAS_OF_FEE = 200_000n

/**
 * Whether a payment can be sent now. No node is shown anything that is signed for it. `isCovered` is false where its sender is known to
 * have too little. Throws NodeError.
 */
export async function examine(
  rail: EvmRail,
  { head, confirmed }: Moment,
  payment: ChainPaymentRow,
  sender: ChainAddressRow,
  isCovered: boolean,
): Promise<Verdict> {
  const isOut = payment.attempts > 0 && payment.nonce !== null
  if (!isOut && payment.kind === 'OUT' && (await isContract(rail, payment.recipient)))
    return { do: 'fail', note: 'The payee is a contract' }
  const used = isOut ? await ofUsed(rail, confirmed, payment) : undefined
  if (used) return used
  if (!isCovered)
    return { do: 'wait', note: 'The treasury has too little', seconds: LATER_SECONDS, alert: 'treasury' }
  const isOwnKey = sender.role !== 'WALLET'
  const lasts = payment.valid_before !== null && payment.valid_before > head.timestamp + VALID_SECONDS_MIN
  if (!isOwnKey && !lasts) return refused(rail, confirmed, payment, 'The signature has expired')
  const fee = payment.fee_amount
  if (fee !== null && (await tokenBalance(rail.nodes, payment.token, payment.sender)) < payment.amount + fee)
    return refused(rail, confirmed, payment, 'The wallet has too little')
  try {
    const transfer = transferCall(payment.token, payment.recipient, payment.amount)
    const estimate = await rail.nodes.estimateGas({ ...transfer, from: payment.sender })
    const isFeeOpen = fee !== null && !(isOut && (await isUsed(rail, payment, payment.fee_nonce!)))
    const gas =
      (estimate * 5n) / 4n + (payment.nonce === null ? 0n : GAS_OF_SIGNATURE) + (isFeeOpen ? GAS_OF_FEE : 0n)
    return { do: 'send', parts: isFeeOpen ? ['payment', 'fee'] : ['payment'], gas }
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error
    return ofRevert(rail, confirmed, payment)
  }
}

/** An authorization that has left this server may have been used by anybody. Undefined where it was not. */
async function ofUsed(
  rail: EvmRail,
  confirmed: ChainBlock,
  payment: ChainPaymentRow,
): Promise<Verdict | undefined> {
  if (!(await isUsed(rail, payment, payment.nonce!))) return undefined
  const use = await findUse(rail, payment, confirmed.number)
  if (use.is === 'cancelled') return { do: 'fail', note: 'The authorization was cancelled' }
  if (use.is !== 'used') return { do: 'wait', note: 'Waits for confirmations', seconds: SOON_SECONDS }
  const mayTryFee = payment.fee_amount !== null && payment.attempts < FEE_ATTEMPTS_MAX
  if (!mayTryFee || (await isUsed(rail, payment, payment.fee_nonce!))) return { do: 'pay', use }
  const has = await tokenBalance(rail.nodes, payment.token, payment.sender)
  const isPayable = has >= payment.fee_amount! && payment.valid_before! > confirmed.timestamp
  return isPayable ? { do: 'send', parts: ['fee'], gas: GAS_OF_FEE } : { do: 'pay', use }
}

/** The estimate says that the transfer would fail. A single node may say so; that a payment fails is asked of all that have to agree. */
async function ofRevert(rail: EvmRail, confirmed: ChainBlock, payment: ChainPaymentRow): Promise<Verdict> {
  const { token, recipient, amount, sender } = payment
  const wouldGo = (to: Hex) => goesThrough(rail, transferCall(token, to, amount), sender)
  if (await wouldGo(recipient)) return { do: 'wait', note: 'A node has refused it', seconds: LATER_SECONDS }
  // What hinders the treasury itself hinders every payment: none of them fails for it.
  if (sender === rail.chain.treasury && !(await wouldGo(sender)))
    return { do: 'wait', note: 'The treasury cannot pay', seconds: LATER_SECONDS, alert: 'treasury' }
  return refused(rail, confirmed, payment, 'The token refuses the transfer')
}

async function goesThrough({ nodes }: EvmRail, call: Call, from: Hex): Promise<boolean> {
  try {
    await nodes.call({ ...call, from })
    return true
  } catch (error) {
    if (error instanceof CallReverted) return false
    throw error
  }
}

/**
 * A payment that the chain would refuse fails only when nothing that was signed for it can count any more: until then the payee could
 * be paid still.
 */
async function refused(
  rail: EvmRail,
  confirmed: ChainBlock,
  payment: ChainPaymentRow,
  note: string,
): Promise<Verdict> {
  if (payment.attempts === 0 || payment.nonce === null) return { do: 'fail', note }
  const hasExpired = payment.valid_before !== null && confirmed.timestamp >= payment.valid_before
  const isOver = hasExpired && (await findUse(rail, payment, confirmed.number)).is === 'unused'
  return isOver ? { do: 'fail', note } : { do: 'wait', note, seconds: LATER_SECONDS }
}
