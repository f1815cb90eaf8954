import type { Hex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { CallReverted, type ChainBlock } from '../../../kernel/ports/chain-nodes.ts'
import type { ChainAlert } from '../../../kernel/ports/metrics.ts'
import { requireColumn } from '../../../storage/read/required.ts'
import type { ChainAddressRow, ChainPaymentRow } from '../../../storage/rows/chain.ts'
import { type EvmRail, isTreasury } from '../evm-rail.ts'
import { type Call, transferCall } from '../formats/calls.ts'
import { isContract } from '../payees.ts'
import { readTokenBalance } from '../token-balance.ts'
import {
  type AuthorizationUse,
  findAuthorizationUse,
  getNonce,
  isAuthorizationUsed,
  type PaymentPart,
} from './authorization-uses.ts'
import type { Moment } from './confirmed.ts'

/** The next step for a waiting payment. */
export type Verdict =
  | { readonly action: 'send'; readonly parts: readonly PaymentPart[]; readonly gas: bigint }
  | { readonly action: 'wait'; readonly note: string; readonly seconds: number; readonly alert?: ChainAlert }
  | { readonly action: 'fail'; readonly note: string; readonly alert?: ChainAlert }
  | {
      readonly action: 'pay'
      readonly use: Extract<AuthorizationUse, { outcome: 'made' }>
      readonly note?: string
    }

/** Kinds of payment to an address that does not belong to this server. */
const PAYS_OUT: ReadonlySet<ChainPaymentRow['kind']> = new Set(['OUT', 'MOVE'])
const SOON_SECONDS = 2
const LATER_SECONDS = 5
const REVIEW_SECONDS = 60
/** The remaining validity that a wallet's signature must have when it is sent. */
const VALID_SECONDS_MIN = 30n
/** The maximum number of attempts to submit the fee of a payment that someone else has submitted. */
const FEE_ATTEMPTS_MAX = 3
/** Gas added to a plain transfer's estimate: a quarter more, plus verifying and recording a signature. */
const GAS_OF_SIGNATURE = 90_000n
const GAS_OF_FEE = 200_000n

/**
 * Decides whether a payment can be sent now, without revealing its signed data to a node. `isCovered` is
 * false if the sender is known not to have enough. Throws NodeError.
 */
export async function examinePayment(
  op: Op,
  rail: EvmRail,
  { head, confirmed }: Moment,
  payment: ChainPaymentRow,
  sender: ChainAddressRow,
  isCovered: boolean,
): Promise<Verdict> {
  const isPublic = payment.attempts > 0 && payment.nonce !== null
  const useVerdict =
    payment.nonce === null ? undefined : await judgeUsed(op, rail, confirmed, payment, sender)
  if (useVerdict) return useVerdict
  if (!isPublic && PAYS_OUT.has(payment.kind) && (await isContract(rail, payment.recipient)))
    return { action: 'fail', note: 'The payee is a contract.' }
  if (!isCovered)
    return {
      action: 'wait',
      note: 'The treasury has too little money.',
      seconds: LATER_SECONDS,
      alert: 'treasury',
    }
  const isOwnKey = sender.role !== 'WALLET'
  const isValidLongEnough =
    payment.valid_before !== null && payment.valid_before > head.timestamp + VALID_SECONDS_MIN
  if (!isOwnKey && !isValidLongEnough)
    return refusePayment(op, rail, confirmed, payment, 'The signature has expired.')
  const isFeeOpen =
    payment.fee_amount !== null && !(await isAuthorizationUsed(rail, payment, getNonce(payment, 'fee')))
  if (payment.fee_amount !== null && !isFeeOpen) {
    const withheld = await judgeWithheldFee(op, rail, confirmed, payment)
    if (withheld) return withheld
  }
  const needed = payment.amount + (isFeeOpen ? requireColumn(payment, 'fee_amount') : 0n)
  if (!isOwnKey && (await readTokenBalance(rail.nodes, payment.token, payment.sender)) < needed)
    return refusePayment(op, rail, confirmed, payment, 'The wallet has too little money.')
  try {
    const transfer = transferCall(payment.token, payment.recipient, payment.amount)
    const estimate = await rail.nodes.estimateGas({ ...transfer, from: payment.sender })
    const gas =
      (estimate * 5n) / 4n + (payment.nonce === null ? 0n : GAS_OF_SIGNATURE) + (isFeeOpen ? GAS_OF_FEE : 0n)
    return { action: 'send', parts: isFeeOpen ? ['payment', 'fee'] : ['payment'], gas }
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error
    return judgeRevert(op, rail, confirmed, payment)
  }
}

/**
 * The verdict on an authorization whose nonce has been used: by us, by anyone who has seen the authorization,
 * or by the key's owner, who may know the nonce before anything is sent. Undefined if the nonce is unused.
 */
async function judgeUsed(
  op: Op,
  rail: EvmRail,
  confirmed: ChainBlock,
  payment: ChainPaymentRow,
  sender: ChainAddressRow,
): Promise<Verdict | undefined> {
  if (!(await isAuthorizationUsed(rail, payment, getNonce(payment, 'payment')))) return undefined
  const use = await findAuthorizationUse(op, rail, payment, 'payment', confirmed.number)
  switch (use.outcome) {
    case 'cancelled':
      return { action: 'fail', note: 'The authorization was canceled.' }
    case 'used-otherwise':
      return judgeOtherUse(sender, use.hasPaidPayee)
    case 'made':
      return payment.fee_amount === null
        ? { action: 'pay', use }
        : submitFee(op, rail, confirmed, payment, use)
    default:
      return { action: 'wait', note: 'The payment is waiting for confirmations.', seconds: SOON_SECONDS }
  }
}

/**
 * A wallet's owner may spend with its key, so the payment fails. If a key of the enclave was used elsewhere,
 * that is an alert instead. If the payee received a different amount, as with a token that charges a fee, a
 * refund would pay twice.
 */
export function judgeOtherUse({ role }: ChainAddressRow, hasPaidPayee: boolean): Verdict {
  const note = 'The nonce of the authorization was used for another transfer.'
  if (role === 'WALLET') return { action: 'fail', note }
  if (!hasPaidPayee) return { action: 'fail', note, alert: 'treasury' }
  return {
    action: 'wait',
    note: 'The payee got a different amount. An operator must review the payment.',
    seconds: REVIEW_SECONDS,
    alert: 'treasury',
  }
}

/**
 * The verdict on a payment if someone may have submitted only its fee, before the payment itself. Undefined
 * if nobody has.
 */
async function judgeWithheldFee(
  op: Op,
  rail: EvmRail,
  confirmed: ChainBlock,
  payment: ChainPaymentRow,
): Promise<Verdict | undefined> {
  const fee = (await findAuthorizationUse(op, rail, payment, 'fee', confirmed.number)).outcome
  if (fee === 'made') return undefined
  return fee === 'cancelled' || fee === 'used-otherwise'
    ? refusePayment(
        op,
        rail,
        confirmed,
        payment,
        'The fee authorization was used or canceled without paying the fee.',
      )
    : { action: 'wait', note: 'The fee is waiting for confirmations.', seconds: SOON_SECONDS }
}

/** Submits the fee of a completed payment separately, with a limited number of attempts. */
async function submitFee(
  op: Op,
  rail: EvmRail,
  confirmed: ChainBlock,
  payment: ChainPaymentRow,
  use: Extract<AuthorizationUse, { outcome: 'made' }>,
): Promise<Verdict> {
  const paidWithoutFee: Verdict = { action: 'pay', use, note: 'The fee was not collected.' }
  if (await isAuthorizationUsed(rail, payment, getNonce(payment, 'fee'))) {
    const fee = (await findAuthorizationUse(op, rail, payment, 'fee', confirmed.number)).outcome
    if (fee === 'made') return { action: 'pay', use }
    if (fee === 'cancelled' || fee === 'used-otherwise') return paidWithoutFee
    return { action: 'wait', note: 'The fee is waiting for confirmations.', seconds: SOON_SECONDS }
  }
  const balance = await readTokenBalance(rail.nodes, payment.token, payment.sender)
  const isPayable =
    payment.attempts < FEE_ATTEMPTS_MAX &&
    balance >= requireColumn(payment, 'fee_amount') &&
    requireColumn(payment, 'valid_before') > confirmed.timestamp
  return isPayable ? { action: 'send', parts: ['fee'], gas: GAS_OF_FEE } : paidWithoutFee
}

/**
 * The estimate predicts that the transfer would fail. A single node might be wrong, so the payment fails only
 * if all nodes that must agree confirm it.
 */
async function judgeRevert(
  op: Op,
  rail: EvmRail,
  confirmed: ChainBlock,
  payment: ChainPaymentRow,
): Promise<Verdict> {
  const { token, recipient, amount, sender } = payment
  const canPay = (to: Hex) => wouldSucceed(rail, transferCall(token, to, amount), sender)
  if (await canPay(recipient))
    return { action: 'wait', note: 'A node predicts that the transfer would fail.', seconds: LATER_SECONDS }
  // A problem of the treasury itself affects every payment, so it must not fail any single one.
  if (isTreasury(rail, sender) && !(await canPay(sender)))
    return {
      action: 'wait',
      note: 'The treasury cannot make transfers now.',
      seconds: LATER_SECONDS,
      alert: 'treasury',
    }
  return refusePayment(op, rail, confirmed, payment, 'The token refuses the transfer.')
}

async function wouldSucceed({ nodes }: EvmRail, call: Call, from: Hex): Promise<boolean> {
  try {
    await nodes.call({ ...call, from })
    return true
  } catch (error) {
    if (error instanceof CallReverted) return false
    throw error
  }
}

/**
 * A payment that the chain would refuse fails only once nothing signed for it can take effect; until then the
 * payee could still be paid.
 */
async function refusePayment(
  op: Op,
  rail: EvmRail,
  confirmed: ChainBlock,
  payment: ChainPaymentRow,
  note: string,
): Promise<Verdict> {
  if (payment.attempts === 0 || payment.nonce === null) return { action: 'fail', note }
  const hasExpired = payment.valid_before !== null && confirmed.timestamp >= payment.valid_before
  const isFinal =
    hasExpired &&
    (await findAuthorizationUse(op, rail, payment, 'payment', confirmed.number)).outcome === 'unused'
  return isFinal ? { action: 'fail', note } : { action: 'wait', note, seconds: LATER_SECONDS }
}
