import type { SettledOutcome } from '@countersign/contract/operation/payment-decisions'
import type { RailPaymentRow, SettledDecisionRow } from '../../storage/rows/rail.ts'

/** The location of a payment's money, according to the record at its rail and the latest decision. */
export type Standing =
  /** Held or on its way; nobody has decided about it. */
  | 'OPEN'
  /** The payee has it. */
  | 'PAID'
  /** The payer has it: it never left, or it came back. */
  | 'BACK'
  /** Both have it: it was refunded, but the payee has it as well. The amount is owed to the platform. */
  | 'OWED'

/** The effect of a decision on the money. With `stand`, only the charge may change. */
export type DecisionEffect =
  /** The payment's record moves as if the rail had reported the outcome, and its settlement continues. */
  | 'move'
  /** The earlier bookings stand. */
  | 'stand'
  /** The rail has paid out an amount that the payer has got back: it becomes a receivable. */
  | 'owe'
  /** The rail has the money after all: the receivable is cleared. */
  | 'clear'

/** Null: a payment that was paid cannot be decided as failed. If its money came back, it is RETURNED. */
export const DECISION_EFFECTS = {
  OPEN: { DELIVERED: 'move', FAILED: 'move', RETURNED: 'move' },
  PAID: { DELIVERED: 'stand', FAILED: null, RETURNED: 'move' },
  BACK: { DELIVERED: 'owe', FAILED: 'stand', RETURNED: 'stand' },
  OWED: { DELIVERED: 'stand', FAILED: 'clear', RETURNED: 'clear' },
} as const satisfies Record<Standing, Record<SettledOutcome, DecisionEffect | null>>

export function standingOf(
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

/** The event by which a decision moves the payment's record. */
export const EVENT_OF_OUTCOME = {
  DELIVERED: 'deliver',
  FAILED: 'fail',
  RETURNED: 'return',
} as const satisfies Record<SettledOutcome, string>
