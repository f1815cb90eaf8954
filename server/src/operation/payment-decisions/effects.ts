import type { SettledOutcome } from '@countersign/contract/operation/payment-decisions'
import { type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { resumePayment } from '../../money/rail-events/apply-evidence.ts'
import { railLeg } from '../../money/rails/deposit-rows.ts'
import { moveRailPayment } from '../../money/rails/rail-payments.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import type { RailFailure, RailPaymentRow, SettledDecisionRow } from '../../storage/rows/rail.ts'
import { type DecisionEffect, EVENT_OF_OUTCOME } from './decision-table.ts'

/** A validated decision. */
export interface CheckedDecision {
  readonly payment: RailPaymentRow
  readonly previousDecision: SettledDecisionRow | undefined
  readonly outcome: SettledOutcome
  readonly effect: DecisionEffect
  /** Total bank charges in the smallest unit, including any amount already booked by an earlier decision. */
  readonly charge: bigint
}

/** Customers see these messages; the reviewer's reason is shown only to the platform. */
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
 * The writes for a decision: advance the rail payment and resume settlement, as a rail report would, and book
 * the remaining amounts. Fails if a report has arrived in the meantime.
 */
export async function effectWrites(op: Op, decision: CheckedDecision): Promise<readonly Write[]> {
  return [...(await moveRecord(op, decision)), ...bookingWrites(op, decision)]
}

async function moveRecord(op: Op, { payment, effect, outcome }: CheckedDecision): Promise<readonly Write[]> {
  if (effect !== 'move') return [expectRow('rail_payments', payment.id, { state: payment.state })]
  const failure = outcome === 'DELIVERED' ? undefined : FAILURES[outcome]
  const moved = moveRailPayment(op, payment, EVENT_OF_OUTCOME[outcome], { failure })
  return [moved.write, ...(await resumePayment(op, moved.row))]
}

/**
 * Books the part of the charge not yet booked as costs. If both payer and payee hold the money, also books the
 * amount as a receivable; clears that receivable once they no longer do.
 */
function bookingWrites(
  op: Op,
  { payment, previousDecision, effect, charge }: CheckedDecision,
): readonly Write[] {
  const { currency, amount } = payment
  const cause = { cause: 'transaction', causeId: payment.payment_id } as const
  const unbookedCharge = charge - (previousDecision?.charge ?? 0n)
  const receivable = effect === 'owe' ? amount : effect === 'clear' ? -amount : 0n
  const fromRail = (system: 'costs' | 'receivables', units: bigint): Leg[] => [
    { system, currency, amount: -units },
    railLeg(payment, units),
  ]
  return [
    ...post(op, cause, fromRail('costs', unbookedCharge)),
    ...post(op, cause, fromRail('receivables', receivable)),
  ]
}

/** True if payer and payee both hold the money after a decision. */
export function isOwedAfter({ effect, previousDecision }: CheckedDecision): boolean {
  if (effect === 'owe') return true
  return effect === 'stand' && previousDecision?.is_owed === true
}
