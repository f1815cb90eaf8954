import type { RailAnswer } from '../../kernel/ports/rail.ts'
import type { RailPaymentEvent, RailPaymentState } from '../../storage/rows/states.ts'

/**
 * The effects of a rail's replies and reports, as tables: one for the record of a payment at its rail, one for the money in our books.
 * They apply to every payment, on every rail: transfers, payments and pulls of quotes,
 * refunds, deposits that go back.
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

/** The event by which an outcome moves the record of a payment; null if it never does. `OUTCOME_OF` is its inverse. */
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
  /** The record changes. */
  | 'move'
  /** This report or a later one has already been applied. */
  | 'late'
  /** It contradicts a final outcome by which money was refunded or paid out: a person decides. */
  | 'contradiction'
  /** The rail is asked again. */
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

/** A payment's stage in our books. */
export type Stage =
  /** Its money is held, or has not been counted. */
  | 'OPEN'
  /** It was counted as delivered. */
  | 'SETTLED'
  /** It has failed or was returned, and no rail is called about it again. */
  | 'ENDED'

/** The effect on a payment in our books; with `wait` and `none` nothing moves. */
export type SettlementEffect =
  /** The money is counted as delivered. */
  | 'settle'
  /** It never left. */
  | 'fail'
  /** It left and came back before it was counted as delivered. */
  | 'bounce'
  /** It came back after that. */
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
  // A failure after the delivery contradicts the record, which reports it to a person.
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
