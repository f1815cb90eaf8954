import type { SettledOutcome } from '@countersign/contract/operation/payment-decisions'
import type { RailPaymentRow, SettledDecisionRow } from '../../storage/rows/rail.ts'

/** The holder of a payment's money, according to its rail payment and the previous decision. */
export type Standing =
  /** Held or in transit: the payment has no final state. */
  | 'OPEN'
  /** With the payee. */
  | 'PAID'
  /** With the payer: it never left, or it was returned. */
  | 'BACK'
  /** With both: the payer was refunded and the payee was paid. The amount is owed to the platform. */
  | 'OWED'

/** The effect of a decision on the money. */
export type DecisionEffect =
  /** The rail payment advances as if the rail had reported the outcome, and settlement follows. */
  | 'move'
  /** The earlier booking is unchanged; only the charge may differ. */
  | 'stand'
  /** The rail paid an amount already refunded to the payer: books a receivable. */
  | 'owe'
  /** The rail still has the money after all: clears the receivable. */
  | 'clear'

/** Null: a delivered payment cannot fail, only be returned. */
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

/** The event that a decision causes in its rail payment. */
export const EVENT_OF_OUTCOME = {
  DELIVERED: 'deliver',
  FAILED: 'fail',
  RETURNED: 'return',
} as const satisfies Record<SettledOutcome, string>
