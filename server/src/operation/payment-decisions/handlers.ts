import type { paymentDecisions } from '@countersign/contract/operation/payment-decisions'
import { nameOf } from '../../kernel/audit/actors.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { page } from '../../kernel/operation/paging.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { findTransaction, transactionView } from '../../kernel/transactions/transactions.ts'
import { findLastDecision } from '../../money/rails/rail-payments.ts'
import { castVote, type Vote } from '../../people/members/approval-votes.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import { idOfKind, uuidOfText } from '../../storage/engine/ids.ts'
import type { PaymentDecisionRow, RailEventRow } from '../../storage/rows/rail.ts'
import { RAIL_EVENT_TRANSITIONS } from '../../storage/rows/states.ts'
import { type Decided, effectWrites, isOwedAfter } from './effects.ts'
import { checkEvidence } from './evidence.ts'
import {
  chargeOf,
  checkWallet,
  currencyOf,
  type DecisionBody,
  decidablePayment,
  decisionView,
  effectOf,
  reportAbout,
} from './payment-decisions.ts'
import { selectDecisions } from './store.ts'

export const paymentDecisionHandlers: Handlers<typeof paymentDecisions> = {
  transaction_decide: async (op, { params, body }) => {
    const transaction = await findTransaction(op, params.transactionId)
    const payment = await decidablePayment(op, transaction)
    const { outcome } = body
    const charge = chargeOf(body, payment)
    const last = await findLastDecision(op, payment)
    const report = await reportAbout(op, payment, body.railEventId)
    const effect = effectOf(outcome, payment, last, report)
    const claimed = { transaction, payment, outcome, charge, reason: body.reason }
    const evidence = await checkEvidence(op, claimed, body.evidence)
    await checkWallet(op, transaction, { effect, outcome, hasLines: evidence.hasLines })
    const decided: Decided = { payment, last, outcome, effect, charge }
    const vote = await castVote(op, ballotOf(decided, body))
    const view = transactionView(transaction, transaction)
    if (!vote.decides) return { status: 200, ...proposeDecision(op, decided, body, view, vote) }
    const row = decisionRow(op, decided, body, false)
    return {
      status: 200,
      body: { transaction: view, decision: decisionView(row) },
      writes: [
        ...vote.writes,
        insert('payment_decisions', row),
        ...(await effectWrites(op, decided)),
        ...evidence.writes,
        ...(report ? [resolveReport(op, report, body.reason)] : []),
      ],
    }
  },

  transaction_decision_list: async (op, { params, query }) => {
    const { id } = await findTransaction(op, params.transactionId)
    return {
      status: 200,
      // The cursor is valid only for this payment's list.
      body: await page(
        op,
        { ...query, of: id },
        {
          rows: selectDecisions(op, id),
          table: 'payment_decisions',
          view: (rows) => rows.map(decisionView),
        },
      ),
    }
  },
}

/**
 * Stores a vote with its reason and evidence. Idempotent: a repeated vote changes nothing. Guard: the payment
 * is unchanged.
 */
function proposeDecision(
  op: Op,
  decided: Decided,
  body: DecisionBody,
  transaction: ReturnType<typeof transactionView>,
  { writes }: Vote,
) {
  const { id, state } = decided.payment
  const stillWaits = expectRow('rail_payments', id, { state })
  if (writes.length === 0) return { body: { transaction }, writes: [stillWaits] }
  const row = decisionRow(op, decided, body, true)
  return {
    body: { transaction, decision: decisionView(row) },
    writes: [...writes, insert('payment_decisions', row), stillWaits],
  }
}

/** The ballot of a vote. Votes count together only for the same outcome, charge, lines and report. */
function ballotOf(
  { payment, last, outcome, charge }: Decided,
  { evidence, railEventId }: DecisionBody,
): string {
  const parts = [
    payment.id,
    placeAfter(last),
    outcome,
    charge,
    linesOf(evidence).toSorted().join(' '),
    railEventId,
  ]
  return idOfKind('PaymentDecision', uuidOfText(`PaymentDecision ${parts.join(' ')}`))
}

function linesOf({ statementEntryIds = [] }: DecisionBody['evidence']): readonly string[] {
  return [...new Set(statementEntryIds)]
}

function placeAfter(last: PaymentDecisionRow | undefined): number {
  return (last?.place ?? 0) + 1
}

/**
 * The decision's row. Its key is the payment with the decision's position in the sequence, so the database
 * rejects a second decision at the same position.
 */
function decisionRow(
  op: Op,
  decided: Decided,
  { reason, evidence, railEventId }: DecisionBody,
  isProposal: boolean,
): PaymentDecisionRow {
  const { payment, last, outcome, charge } = decided
  const actor = nameOf(op.actor)
  if (!actor) throw new Error(`A decision by ${op.actor.kind}`)
  return {
    id: op.newId('PaymentDecision'),
    platform_id: op.platform.id,
    rail_payment_id: payment.id,
    transaction_id: payment.payment_id,
    place: placeAfter(last),
    is_proposal: isProposal,
    outcome,
    amount: payment.amount,
    currency: currencyOf(payment),
    charge,
    is_owed: isOwedAfter(decided),
    reason,
    note: evidence.note ?? null,
    statement_lines: linesOf(evidence),
    document_id: evidence.documentId ?? null,
    rail_event_id: railEventId ?? null,
    ...actor,
    created_at: op.now,
  }
}

/** Guard: nobody else has resolved the report. */
function resolveReport(op: Op, report: RailEventRow, reason: string): Write {
  const change = { note: reason, resolved_at: op.now }
  return transition(op, 'rail_events', RAIL_EVENT_TRANSITIONS, report, 'resolve', change).write
}
