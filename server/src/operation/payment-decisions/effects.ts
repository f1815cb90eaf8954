import type { SettledOutcome } from '@countersign/contract/operation/payment-decisions'
import { type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { resumePayment } from '../../money/rail-events/apply-evidence.ts'
import { railLeg } from '../../money/rails/deposit-rows.ts'
import { moveRailPayment } from '../../money/rails/rail-payments.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import type { RailFailure, RailPaymentRow, SettledDecisionRow } from '../../storage/rows/rail.ts'
import { type DecisionEffect, EVENT_OF_OUTCOME } from './decision-table.ts'

/** A decision that was checked. */
export interface Decided {
  readonly payment: RailPaymentRow
  readonly last: SettledDecisionRow | undefined
  readonly outcome: SettledOutcome
  readonly effect: DecisionEffect
  /** Smallest unit: all charges of banks, including the part that an earlier decision has booked. */
  readonly charge: bigint
}

/** The customer sees these messages. The reason is for the platform. */
const FAILURES = {
  FAILED: {
    code: 'QUOTE_EXECUTION_FAILED',
    message: 'The platform has found that the payment failed',
    isDecided: true,
  },
  RETURNED: {
    code: 'COUNTERPARTY_POST_TX_FAILED',
    message: 'The platform has found that the payment came back',
    isDecided: true,
  },
} as const satisfies Record<Exclude<SettledOutcome, 'DELIVERED'>, RailFailure>

/**
 * The writes of a decision: the record at the rail moves and its settlement becomes due, as after a report,
 * and the remaining amounts are booked here. Guard: nothing was reported about the payment in the meantime.
 */
export async function effectWrites(op: Op, decided: Decided): Promise<readonly Write[]> {
  return [...(await moveRecord(op, decided)), ...bookings(op, decided)]
}

async function moveRecord(op: Op, { payment, effect, outcome }: Decided): Promise<readonly Write[]> {
  if (effect !== 'move') return [expectRow('rail_payments', payment.id, { state: payment.state })]
  const failure = outcome === 'DELIVERED' ? undefined : FAILURES[outcome]
  const moved = moveRailPayment(op, payment, EVENT_OF_OUTCOME[outcome], { failure })
  return [moved.write, ...(await resumePayment(op, moved.row))]
}

/**
 * Books the charge, less the part booked by an earlier decision, as costs, and the amount that payer and
 * payee both have as a receivable.
 */
function bookings(op: Op, { payment, last, effect, charge }: Decided): readonly Write[] {
  const { currency, amount } = payment
  const cause = { cause: 'transaction', causeId: payment.payment_id } as const
  const kept = charge - (last?.charge ?? 0n)
  const owed = effect === 'owe' ? amount : effect === 'clear' ? -amount : 0n
  const fromRail = (system: 'costs' | 'receivables', units: bigint): Leg[] => [
    { system, currency, amount: -units },
    railLeg(payment, units),
  ]
  return [...post(op, cause, fromRail('costs', kept)), ...post(op, cause, fromRail('receivables', owed))]
}

/** True if payer and payee both have the money after a decision. */
export function isOwedAfter({ effect, last }: Decided): boolean {
  if (effect === 'owe') return true
  return effect === 'stand' && last?.is_owed === true
}
