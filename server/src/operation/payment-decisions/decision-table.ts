import type { SettledOutcome } from '@countersign/contract/operation/payment-decisions'
import type { RailPaymentRow, SettledDecisionRow } from '../../storage/rows/rail.ts'

/** The location of a payment's money, according to the record at its rail and the latest decision. */
export type Standing =
  /** Held or on its way, and not decided yet. */
  | 'OPEN'
  /** The payee has it. */
  | 'PAID'
  /** The payer has it: it never left, or it was returned. */
  | 'BACK'
  /** Both have it: it was refunded, but the payee has it too. The amount is owed to the platform. */
  | 'OWED'

/** The effect of a decision on the money. */
export type DecisionEffect =
  /** The payment changes as if the rail had reported the outcome, and its settlement continues. */
  | 'move'
  /** The earlier bookings remain. Only the charge may change. */
  | 'stand'
  /** The rail has paid out an amount that was already refunded, so it becomes a receivable. */
  | 'owe'
  /** The rail still has the money, so the receivable is cleared. */
  | 'clear'

/** A paid payment cannot be decided as FAILED (null). If its money was returned, the outcome is RETURNED. */
export const DECISION_EFFECTS = {
  OPEN: { DELIVERED: 'move', FAILED: 'move', RETURNED: 'move' },
  PAID: { DELIVERED: 'stand', FAILED: null, RETURNED: 'move' },
  BACK: { DELIVERED: 'owe', FAILED: 'stand', RETURNED: 'stand' },
  OWED: { DELIVERED: 'stand', FAILED: 'clear', RETURNED: 'clear' },
} as const satisfies Record<Standing, Record<SettledOutcome, DecisionEffect | null>>

export function findStanding(
  { state }: Pick<RailPaymentRow, 'state'>,
  last: Pick<SettledDecisionRow, 'is_owed'> | undefined,
): Standing {
  switch (state) {
    case 'GIVEN':
    case 'ACCEPTED':
      return 'OPEN'
    case 'DELIVERED':
      return 'PAID'
    case 'FAILED':
    case 'CANCELLED':
    case 'RETURNED':
      return last?.is_owed ? 'OWED' : 'BACK'
  }
}

/** The event that a decision applies to the payment's record. */
export const OUTCOME_EVENTS = {
  DELIVERED: 'deliver',
  FAILED: 'fail',
  RETURNED: 'return',
} as const satisfies Record<SettledOutcome, string>
