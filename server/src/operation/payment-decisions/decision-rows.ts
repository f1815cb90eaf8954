import type { PaymentOutcome } from '@countersign/contract/operation/payment-decisions'
import { nameOf } from '../../kernel/audit/actors.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { idOfKind, uuidOfText } from '../../storage/engine/ids.ts'
import type { PaymentDecisionRow, RailPaymentRow } from '../../storage/rows/rail.ts'
import { currencyOf, type DecisionBody } from './payment-decisions.ts'

/** A decision about a payment. */
export interface DecisionOf {
  readonly payment: RailPaymentRow
  readonly place: number
  readonly outcome: PaymentOutcome
  /** Smallest unit. */
  readonly charge: bigint
  readonly isOwed: boolean
}

/** The subject of a vote: it counts only for the same outcome, charge, lines and report. */
export function ballotOf(
  { payment, place, outcome, charge }: DecisionOf,
  { evidence, railEventId }: DecisionBody,
): string {
  const parts = [payment.id, place, outcome, charge, linesOf(evidence).toSorted().join(' '), railEventId]
  return idOfKind('PaymentDecision', uuidOfText(`PaymentDecision ${parts.join(' ')}`))
}

function linesOf({ statementEntryIds = [] }: DecisionBody['evidence']): readonly string[] {
  return [...new Set(statementEntryIds)]
}

/** The key is the payment and the place: the database refuses a second decision in one place. */
export function decisionRow(
  op: Op,
  { payment, place, outcome, charge, isOwed }: DecisionOf,
  { reason, evidence, railEventId }: DecisionBody,
  isProposal: boolean,
): PaymentDecisionRow {
  const actor = nameOf(op.actor)
  if (!actor) throw new Error(`A decision by ${op.actor.kind}`)
  return {
    id: op.newId('PaymentDecision'),
    platform_id: op.platform.id,
    rail_payment_id: payment.id,
    transaction_id: payment.payment_id,
    place,
    is_proposal: isProposal,
    outcome,
    amount: payment.amount,
    currency: currencyOf(payment),
    charge,
    is_owed: isOwed,
    reason,
    note: evidence.note ?? null,
    statement_lines: linesOf(evidence),
    document_id: evidence.documentId ?? null,
    rail_event_id: railEventId ?? null,
    ...actor,
    created_at: op.now,
  }
}
