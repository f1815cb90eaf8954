import type { RailPaymentRow, SettledDecisionRow } from '../../storage/rows/rail.ts'
import type { RailPaymentEvent } from '../../storage/rows/states.ts'
import type { PaymentEvidence } from './evidence.ts'
import type { Verdict } from './judge.ts'

/** The decision that a claim is compared with: the last one about its payment. */
export type StandingDecision = Pick<SettledDecisionRow, 'place' | 'outcome' | 'charge'>
export type DecidedPayment = Pick<RailPaymentRow, 'amount' | 'currency' | 'delivered_at'>

/**
 * Each event compared with each decision. `same-money` agrees unless the decision has booked a charge;
 * `before` agrees if the rail had reported it before the decision.
 */
const WORDS = {
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
 * Compares a claim about a payment with what a person decided about it: pure. It never moves money: a claim
 * that agrees has no effect, and one that contradicts waits for another decision.
 */
export function judgeDecided(
  claim: Pick<PaymentEvidence, 'event' | 'amount' | 'currency'>,
  payment: DecidedPayment,
  decision: StandingDecision,
): Verdict {
  if (!isAgreeing(claim.event, payment, decision)) return { effect: 'hold', reason: 'CONTRADICTION' }
  return isDecidedMoney(claim, payment, decision)
    ? { effect: 'none' }
    : { effect: 'hold', reason: 'OTHER_AMOUNT' }
}

function isAgreeing(
  event: RailPaymentEvent,
  { delivered_at }: DecidedPayment,
  { outcome, place, charge }: StandingDecision,
): boolean {
  switch (WORDS[outcome][event]) {
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

/** True if the claim states no amount, the amount of the payment, or the amount booked with the charge. */
function isDecidedMoney(
  { event, amount, currency }: Pick<PaymentEvidence, 'event' | 'amount' | 'currency'>,
  payment: DecidedPayment,
  { outcome, charge }: StandingDecision,
): boolean {
  if (currency !== null && currency !== payment.currency) return false
  if (amount === null) return true
  if (event === 'return') return amount === payment.amount - charge
  return amount === payment.amount || (outcome === 'DELIVERED' && amount === payment.amount + charge)
}
