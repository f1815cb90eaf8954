import type { SettledOutcome } from '@countersign/contract/operation/payment-decisions'
import type { RailPaymentRow, SettledDecisionRow } from '../../storage/rows/rail.ts'

/** The location of a payment's money, by the record at its rail and the last decision. */
export type Standing =
  /** Held, or on its way: nobody has ended it. */
  | 'OPEN'
  /** With the payee. */
  | 'PAID'
  /** With the payer: it never left, or it came back. */
  | 'BACK'
  /** With both: it was refunded, and the payee has it as well. The amount is owed to the platform. */
  | 'OWED'

/** The effect of a decision on the money; with `stand` only the charge may change. */
export type DecisionEffect =
  /** The record moves as if the rail had reported it, and its settlement follows. */
  | 'move'
  /** The earlier booking stands. */
  | 'stand'
  /** The rail has paid an amount that the payer has back: it becomes a receivable. */
  | 'owe'
  /** The rail has that money after all: the receivable is gone. */
  | 'clear'

/** Null: a payment that was paid has not failed. Its money comes back by RETURNED. */
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

/** The event that a decision causes in the record of a payment. */
export const EVENT_OF_OUTCOME = {
  DELIVERED: 'deliver',
  FAILED: 'fail',
  RETURNED: 'return',
} as const satisfies Record<SettledOutcome, string>
