import type { RailAnswer } from '../../kernel/ports/rail.ts'
import type { RailPaymentEvent, RailPaymentState } from '../../storage/rows/states.ts'

/**
 * The effects of a rail's replies and reports, as two tables: one for the payment's record at its rail, and
 * one for the money in the ledger. They apply to every payment on every rail: transfers, payments and pulls
 * of quotes, refunds, and returns of deposits.
 */

/** The six outcomes that a rail can report about a payment. */
export const OUTCOMES = [
  'accepted',
  'delivered',
  'failed',
  'cancelled',
  'returned',
  'unknown',
] as const satisfies readonly RailAnswer['outcome'][]
export type Outcome = RailAnswer['outcome']

/**
 * The event by which an outcome moves a payment's record; null if it never moves it. `OUTCOME_OF` is the
 * inverse.
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
  /** This report or a later one was applied already. */
  | 'late'
  /** Contradicts a final outcome after which money was refunded or paid out. A person must decide. */
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
export function isContradiction(state: RailPaymentState, by: RailPaymentEvent): boolean {
  return RECORD_EFFECTS[state][OUTCOME_OF[by]] === 'contradiction'
}

/** The stage of a payment in the ledger. */
export type Stage =
  /** Its money is held, or not booked yet. */
  | 'OPEN'
  /** It is booked as delivered. */
  | 'SETTLED'
  /** It has failed or was returned. No rail is called about it any more. */
  | 'ENDED'

/** The effect on a payment in the ledger. `wait` and `none` move nothing. */
export type SettlementEffect =
  /** Book the money as delivered. */
  | 'settle'
  /** It never left. */
  | 'fail'
  /** It left, and came back before it was booked as delivered. */
  | 'bounce'
  /** It came back after it was booked as delivered. */
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
  // A failure after delivery contradicts the payment's record, so the report waits for a person.
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
