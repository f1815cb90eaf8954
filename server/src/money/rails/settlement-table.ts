import type { RailResult } from '../../kernel/ports/rail.ts'
import type { RailPaymentEvent, RailPaymentState } from '../../storage/rows/states.ts'

/**
 * The effects of a rail's replies and reports: one table for the payment's record at its rail, one for the
 * money in the ledger. Both apply to every payment on every rail: transfers, quotes' payments and pulls,
 * refunds, and returned deposits.
 */

/** The six outcomes that a rail can report about a payment. */
export const OUTCOMES = [
  'accepted',
  'delivered',
  'failed',
  'cancelled',
  'returned',
  'unknown',
] as const satisfies readonly RailResult['outcome'][]
export type Outcome = RailResult['outcome']

/**
 * The event with which an outcome moves a payment's record; null if the outcome never moves it. `OUTCOME_OF`
 * is the inverse.
 */
export const EVENTS = {
  accepted: 'accept',
  delivered: 'deliver',
  failed: 'fail',
  cancelled: 'cancel',
  returned: 'return',
  unknown: null,
} as const satisfies Record<Outcome, RailPaymentEvent | null>

export const OUTCOME_OF = {
  accept: 'accepted',
  deliver: 'delivered',
  fail: 'failed',
  cancel: 'cancelled',
  return: 'returned',
} as const satisfies Record<RailPaymentEvent, Outcome>

export type RecordEffect =
  /** The record moves. */
  | 'move'
  /** This report or a later one has already been applied. */
  | 'late'
  /**
   * The report contradicts a final outcome after which money was refunded or paid out. An operator must
   * decide.
   */
  | 'contradiction'
  /** Ask the rail again. */
  | 'ask'

export const RECORD_EFFECTS = {
  GIVEN: {
    accepted: 'move',
    delivered: 'move',
    failed: 'move',
    cancelled: 'move',
    returned: 'move',
    unknown: 'ask',
  },
  ACCEPTED: {
    accepted: 'late',
    delivered: 'move',
    failed: 'move',
    cancelled: 'move',
    returned: 'move',
    unknown: 'ask',
  },
  DELIVERED: {
    accepted: 'late',
    delivered: 'late',
    failed: 'contradiction',
    cancelled: 'contradiction',
    returned: 'move',
    unknown: 'ask',
  },
  FAILED: {
    accepted: 'late',
    delivered: 'contradiction',
    failed: 'late',
    cancelled: 'late',
    returned: 'contradiction',
    unknown: 'late',
  },
  CANCELLED: {
    accepted: 'late',
    delivered: 'contradiction',
    failed: 'late',
    cancelled: 'late',
    returned: 'contradiction',
    unknown: 'late',
  },
  RETURNED: {
    accepted: 'late',
    delivered: 'late',
    failed: 'late',
    cancelled: 'late',
    returned: 'late',
    unknown: 'late',
  },
} as const satisfies Record<RailPaymentState, Record<Outcome, RecordEffect>>

/** True if an event contradicts a final outcome. */
export function isContradiction(state: RailPaymentState, event: RailPaymentEvent): boolean {
  return RECORD_EFFECTS[state][OUTCOME_OF[event]] === 'contradiction'
}

/** The stage of a payment in the ledger. */
export type Stage =
  /** The money is held, or not booked yet. */
  | 'OPEN'
  /** The payment is booked as delivered. */
  | 'SETTLED'
  /** The payment failed or was returned. Its rail is no longer called. */
  | 'ENDED'

/** The effect on a payment in the ledger. `wait` and `none` move nothing. */
export type SettlementEffect =
  /** Book the money as delivered. */
  | 'settle'
  /** The payment was never sent. */
  | 'fail'
  /** The payment was sent, and returned before it was booked as delivered. */
  | 'bounce'
  /** The payment was returned after it was booked as delivered. */
  | 'reverse'
  | 'wait'
  | 'none'

export const SETTLEMENT = {
  OPEN: {
    accepted: 'wait',
    delivered: 'settle',
    failed: 'fail',
    cancelled: 'fail',
    returned: 'bounce',
    unknown: 'wait',
  },
  // A failure after delivery contradicts the payment's record, so the report waits for manual review.
  SETTLED: {
    accepted: 'wait',
    delivered: 'wait',
    failed: 'none',
    cancelled: 'none',
    returned: 'reverse',
    unknown: 'wait',
  },
  ENDED: {
    accepted: 'none',
    delivered: 'none',
    failed: 'none',
    cancelled: 'none',
    returned: 'none',
    unknown: 'none',
  },
} as const satisfies Record<Stage, Record<Outcome, SettlementEffect>>
