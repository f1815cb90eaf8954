import type { PaymentOutcome } from '@countersign/contract/operation/payment-decisions'
import { nameActor } from '../../kernel/audit/actors.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { buildId, deriveUuid } from '../../storage/engine/ids.ts'
import type { PaymentDecisionRow, RailPaymentRow } from '../../storage/rows/rail.ts'
import { type DecisionBody, requireCurrency } from './payment-decisions.ts'

/** The content of a decision about a payment. */
export interface DecisionContent {
  readonly payment: RailPaymentRow
  readonly place: number
  readonly outcome: PaymentOutcome
  /** In the smallest unit. */

  readonly charge: bigint
  readonly isOwed: boolean
}

/** The id of a vote's subject. Votes count together only for the same outcome, charge, lines and report. */
export function computeBallotId(
  { payment, place, outcome, charge }: DecisionContent,
  { evidence, railEventId }: DecisionBody,
): string {
  const parts = [payment.id, place, outcome, charge, listLineIds(evidence).toSorted().join(' '), railEventId]
  return buildId('PaymentDecision', deriveUuid(`PaymentDecision ${parts.join(' ')}`))
}

function listLineIds({ statementEntryIds = [] }: DecisionBody['evidence']): readonly string[] {
  return [...new Set(statementEntryIds)]
}

/** The database refuses a second decision about a payment in the same place. */
export function buildDecisionRow(
  op: Op,
  { payment, place, outcome, charge, isOwed }: DecisionContent,
  { reason, evidence, railEventId }: DecisionBody,
  isProposal: boolean,
): PaymentDecisionRow {
  const actor = nameActor(op.actor)
  if (!actor) throw new Error(`an actor of kind ${op.actor.kind} cannot decide about a payment`)
  return {
    id: op.newId('PaymentDecision'),
    platform_id: op.platform.id,
    rail_payment_id: payment.id,
    transaction_id: payment.payment_id,
    place,
    is_proposal: isProposal,
    outcome,
    amount: payment.amount,
    currency: requireCurrency(payment),
    charge,
    is_owed: isOwed,
    reason,
    note: evidence.note ?? null,
    statement_lines: listLineIds(evidence),
    document_id: evidence.documentId ?? null,
    rail_event_id: railEventId ?? null,
    ...actor,
    created_at: op.now,
  }
}
