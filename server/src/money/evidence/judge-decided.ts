import type { RailPaymentRow, SettledDecisionRow } from '../../storage/rows/rail.ts'
import type { RailPaymentEvent } from '../../storage/rows/states.ts'
import type { PaymentEvidence } from './evidence.ts'
import type { Verdict } from './judge.ts'

/** The decision that a claim is compared with: the latest one about its payment. */
export type LatestDecision = Pick<SettledDecisionRow, 'place' | 'outcome' | 'charge'>
export type DecidedPayment = Pick<RailPaymentRow, 'amount' | 'currency' | 'delivered_at'>

/**
 * The relation of each reported event to each decision. `same-money` agrees unless the decision booked a
 * charge; `before` agrees if the rail had reported the delivery before the first decision.
 */
const RELATIONS = {
  DELIVERED: {
    accept: 'late',
    deliver: 'agrees',
    fail: 'contradicts',
    return: 'contradicts',
    cancel: 'contradicts',
  },
  FAILED: { accept: 'late', deliver: 'contradicts', fail: 'agrees', return: 'contradicts', cancel: 'agrees' },
  RETURNED: {
    accept: 'late',
    deliver: 'before',
    fail: 'same-money',
    return: 'agrees',
    cancel: 'same-money',
  },
} as const satisfies Record<SettledDecisionRow['outcome'], Record<RailPaymentEvent, string>>

/**
 * Compares a claim about a payment with a person's decision about it. Pure. Never moves money: a claim that
 * agrees has no effect, and a claim that contradicts waits for another decision.
 */
export function judgeDecided(
  claim: Pick<PaymentEvidence, 'event' | 'amount' | 'currency'>,
  payment: DecidedPayment,
  decision: LatestDecision,
): Verdict {
  if (!agreesWith(claim.event, payment, decision)) return { effect: 'hold', reason: 'CONTRADICTION' }
  return hasDecidedAmount(claim, payment, decision)
    ? { effect: 'none' }
    : { effect: 'hold', reason: 'OTHER_AMOUNT' }
}

function agreesWith(
  event: RailPaymentEvent,
  { delivered_at }: DecidedPayment,
  { outcome, place, charge }: LatestDecision,
): boolean {
  switch (RELATIONS[outcome][event]) {
    case 'late':
    case 'agrees':
      return true
    case 'contradicts':
      return false
    case 'same-money':
      return charge === 0n
    case 'before':
      return place === 1 && delivered_at !== null
  }
}

/** True if the claim states no amount, or the amount that follows from the decision and its charge. */
function hasDecidedAmount(
  { event, amount, currency }: Pick<PaymentEvidence, 'event' | 'amount' | 'currency'>,
  payment: DecidedPayment,
  { outcome, charge }: LatestDecision,
): boolean {
  if (currency !== null && currency !== payment.currency) return false
  if (amount === null) return true
  if (event === 'return') return amount === payment.amount - charge
  return amount === payment.amount || (outcome === 'DELIVERED' && amount === payment.amount + charge)
}
