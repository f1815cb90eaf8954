import type { SettledOutcome } from '@countersign/contract/operation/payment-decisions'
import { type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { resumePayment } from '../../money/rail-events/apply-evidence.ts'
import { buildDepositRailLeg } from '../../money/rails/deposit-rows.ts'
import { moveRailPayment } from '../../money/rails/rail-payments.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import type { RailFailure, RailPaymentRow, SettledDecisionRow } from '../../storage/rows/rail.ts'
import { type DecisionEffect, OUTCOME_EVENTS } from './decision-table.ts'

/** A validated decision. */
export interface Decided {
  readonly payment: RailPaymentRow
  readonly last: SettledDecisionRow | undefined
  readonly outcome: SettledOutcome
  readonly effect: DecisionEffect
  /**
   * The total of all bank charges in the smallest unit, including any amount that an earlier decision has
   * booked.
   */
  readonly charge: bigint
}

/** Customers see these messages. The reviewer's own reason is shown only to the platform. */
const FAILURES = {
  FAILED: {
    code: 'QUOTE_EXECUTION_FAILED',
    message: 'The platform determined that the payment failed',
    isDecided: true,
  },
  RETURNED: {
    code: 'COUNTERPARTY_POST_TX_FAILED',
    message: 'The platform determined that the payment was returned',
    isDecided: true,
  },
} as const satisfies Record<Exclude<SettledOutcome, 'DELIVERED'>, RailFailure>

/**
 * The writes of a decision. They change the payment and continue its settlement as a rail report would, and
 * book the remaining amounts. Guard: no report has arrived in the meantime.
 */
export async function buildEffectWrites(op: Op, decided: Decided): Promise<readonly Write[]> {
  return [...(await moveRecord(op, decided)), ...buildBookings(op, decided)]
}

async function moveRecord(op: Op, { payment, effect, outcome }: Decided): Promise<readonly Write[]> {
  if (effect !== 'move') return [expectRow('rail_payments', payment.id, { state: payment.state })]
  const failure = outcome === 'DELIVERED' ? undefined : FAILURES[outcome]
  const moved = moveRailPayment(op, payment, OUTCOME_EVENTS[outcome], { failure })
  return [moved.write, ...(await resumePayment(op, moved.row))]
}

/**
 * Books the part of the charge that no earlier decision has booked as costs and, if both payer and payee have
 * the money, the amount as a receivable.
 */
function buildBookings(op: Op, { payment, last, effect, charge }: Decided): readonly Write[] {
  const { currency, amount } = payment
  const cause = { cause: 'transaction', causeId: payment.payment_id } as const
  const newCharge = charge - (last?.charge ?? 0n)
  const owed = effect === 'owe' ? amount : effect === 'clear' ? -amount : 0n
  const fromRail = (system: 'costs' | 'receivables', units: bigint): Leg[] => [
    { system, currency, amount: -units },
    buildDepositRailLeg(payment, units),
  ]
  return [...post(op, cause, fromRail('costs', newCharge)), ...post(op, cause, fromRail('receivables', owed))]
}

/** True if both payer and payee have the money after the decision. */
export function isOwedAfter({ effect, last }: Decided): boolean {
  if (effect === 'owe') return true
  return effect === 'stand' && last?.is_owed === true
}
