import type { paymentDecisions } from '@countersign/contract/operation/payment-decisions'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { transition } from '../../kernel/operation/transition.ts'
import {
  findTransaction,
  type TransactionWithCustomer,
  toTransactionView,
} from '../../kernel/transactions/transactions.ts'
import { deriveLineReportId } from '../../money/rails/rail-ids.ts'
import { findLastDecision } from '../../money/rails/rail-payments.ts'
import { castVote, type Vote } from '../../people/members/approval-votes.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import type { RailEventRow } from '../../storage/rows/rail.ts'
import { RAIL_EVENT_TRANSITIONS } from '../../storage/rows/states.ts'
import type { StatementLine } from '../reconciliations/explain-lines.ts'
import { buildDecisionRow, computeBallotId, type DecisionContent } from './decision-rows.ts'
import { buildEffectWrites, type Decided, isOwedAfter } from './effects.ts'
import { checkEvidence } from './evidence.ts'
import {
  checkWallet,
  type DecisionBody,
  decisionView,
  findDecidablePayment,
  findEffect,
  findReport,
  readCharge,
} from './payment-decisions.ts'
import { checkReversal, toPaymentDecisionViews, withdrawReversal } from './reversals.ts'
import { selectDecisions } from './store.ts'

export const paymentDecisionHandlers: Handlers<typeof paymentDecisions> = {
  transaction_decide: async (op, { params, body }) => {
    const transaction = await findTransaction(op, params.transactionId)
    const { outcome } = body
    if (outcome === 'REVERSAL') return { status: 200, ...(await decideReversal(op, transaction, body)) }
    const payment = await findDecidablePayment(op, transaction)
    const charge = readCharge(body, payment)
    const last = await findLastDecision(op, payment)
    const report = await findReport(op, payment, body.railEventId)
    const effect = findEffect(outcome, payment, last, report)
    const claimed = { transaction, payment, outcome, charge, reason: body.reason }
    const evidence = await checkEvidence(op, claimed, body.evidence)
    const { lines } = evidence
    await checkWallet(op, transaction, { effect, outcome, hasLines: lines.length > 0 })
    const decided: Decided = { payment, last, outcome, effect, charge }
    const decision = { payment, place: (last?.place ?? 0) + 1, outcome, charge, isOwed: isOwedAfter(decided) }
    const vote = await castVote(op, computeBallotId(decision, body))
    const view = toTransactionView(transaction, transaction)
    if (!vote.decides) return { status: 200, ...proposeDecision(op, decision, body, view, vote) }
    const row = buildDecisionRow(op, decision, body, false)
    return {
      status: 200,
      body: { transaction: view, decision: decisionView(row) },
      writes: [
        ...vote.writes,
        insert('payment_decisions', row),
        ...(await buildEffectWrites(op, decided)),
        ...evidence.writes,
        ...(await withdrawReversal(op, payment)),
        ...(report && !isOfLine(report, lines) ? [resolveReport(op, report, body.reason)] : []),
      ],
    }
  },

  transaction_decision_list: async (op, { params, query }) => {
    const { id } = await findTransaction(op, params.transactionId)
    return {
      status: 200,
      // The cursor is valid only for this payment's list.
      body: await listPage(
        op,
        { ...query, of: id },
        {
          rows: selectDecisions(op, id),
          table: 'payment_decisions',
          view: (rows) => toPaymentDecisionViews(op, rows),
        },
      ),
    }
  },
}

/** Requests the reversal of a payment from its rail after the last vote. Guard: the payment is unchanged. */
async function decideReversal(op: Op, transaction: TransactionWithCustomer, body: DecisionBody) {
  const { payment, evidence, request } = await checkReversal(op, transaction, body)
  const decision = {
    payment,
    place: request.reversal.number,
    outcome: 'REVERSAL',
    charge: 0n,
    isOwed: false,
  } as const
  const vote = await castVote(op, computeBallotId(decision, body))
  const view = toTransactionView(transaction, transaction)
  if (!vote.decides) return proposeDecision(op, decision, body, view, vote)
  const row = buildDecisionRow(op, decision, body, false)
  return {
    body: { transaction: view, decision: decisionView(row, request.reversal) },
    writes: [
      ...vote.writes,
      insert('payment_decisions', row),
      expectRow('rail_payments', payment.id, { state: payment.state }),
      ...request.writes,
      ...evidence.writes,
    ],
  }
}

/**
 * Stores a vote with its reason and evidence. Idempotent: a repeated vote changes nothing. Guard: the payment
 * is unchanged.
 */
function proposeDecision(
  op: Op,
  decision: DecisionContent,
  body: DecisionBody,
  transaction: ReturnType<typeof toTransactionView>,
  { writes }: Vote,
) {
  const { id, state } = decision.payment
  const unchangedGuard = expectRow('rail_payments', id, { state })
  if (writes.length === 0) return { body: { transaction }, writes: [unchangedGuard] }
  const row = buildDecisionRow(op, decision, body, true)
  return {
    body: { transaction, decision: decisionView(row) },
    writes: [...writes, insert('payment_decisions', row), unchangedGuard],
  }
}

/** True if the report is about one of these lines. The evidence resolves such reports. */
function isOfLine({ body }: RailEventRow, lines: readonly StatementLine[]): boolean {
  return lines.some(({ entry }) => deriveLineReportId(entry.rail_reference) === body.id)
}

/** Guard: nobody else has resolved the report. */
function resolveReport(op: Op, report: RailEventRow, reason: string): Write {
  const change = { note: reason, resolved_at: op.now }
  return transition(op, 'rail_events', RAIL_EVENT_TRANSITIONS, report, 'resolve', change).write
}
