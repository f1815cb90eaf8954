import type { paymentDecisions } from '@countersign/contract/operation/payment-decisions'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { page } from '../../kernel/operation/paging.ts'
import { transition } from '../../kernel/operation/transition.ts'
import {
  findTransaction,
  type TransactionWithCustomer,
  transactionView,
} from '../../kernel/transactions/transactions.ts'
import { lineReportId } from '../../money/rails/rail-ids.ts'
import { findLastDecision } from '../../money/rails/rail-payments.ts'
import { castVote, type Vote } from '../../people/members/approval-votes.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import type { RailEventRow } from '../../storage/rows/rail.ts'
import { RAIL_EVENT_TRANSITIONS } from '../../storage/rows/states.ts'
import type { StatementLine } from '../reconciliations/explain-lines.ts'
import { ballotOf, type DecisionOf, decisionRow } from './decision-rows.ts'
import { type Decided, effectWrites, isOwedAfter } from './effects.ts'
import { checkEvidence } from './evidence.ts'
import {
  chargeOf,
  checkWallet,
  type DecisionBody,
  decidablePayment,
  decisionView,
  effectOf,
  reportAbout,
} from './payment-decisions.ts'
import { checkReversal, decisionViews, withdrawReversal } from './reversals.ts'
import { selectDecisions } from './store.ts'

export const paymentDecisionHandlers: Handlers<typeof paymentDecisions> = {
  transaction_decide: async (op, { params, body }) => {
    const transaction = await findTransaction(op, params.transactionId)
    const { outcome } = body
    if (outcome === 'REVERSAL') return { status: 200, ...(await decideReversal(op, transaction, body)) }
    const payment = await decidablePayment(op, transaction)
    const charge = chargeOf(body, payment)
    const last = await findLastDecision(op, payment)
    const report = await reportAbout(op, payment, body.railEventId)
    const effect = effectOf(outcome, payment, last, report)
    const claimed = { transaction, payment, outcome, charge, reason: body.reason }
    const evidence = await checkEvidence(op, claimed, body.evidence)
    const { lines } = evidence
    await checkWallet(op, transaction, { effect, outcome, hasLines: lines.length > 0 })
    const decided: Decided = { payment, last, outcome, effect, charge }
    const said = { payment, place: (last?.place ?? 0) + 1, outcome, charge, isOwed: isOwedAfter(decided) }
    const vote = await castVote(op, ballotOf(said, body))
    const view = transactionView(transaction, transaction)
    if (!vote.decides) return { status: 200, ...proposeDecision(op, said, body, view, vote) }
    const row = decisionRow(op, said, body, false)
    return {
      status: 200,
      body: { transaction: view, decision: decisionView(row) },
      writes: [
        ...vote.writes,
        insert('payment_decisions', row),
        ...(await effectWrites(op, decided)),
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
      body: await page(
        op,
        { ...query, of: id },
        {
          rows: selectDecisions(op, id),
          table: 'payment_decisions',
          view: (rows) => decisionViews(op, rows),
        },
      ),
    }
  },
}

/** Asks the rail to take a payment back, once its last vote is cast. Guard: the payment is unchanged. */
async function decideReversal(op: Op, transaction: TransactionWithCustomer, body: DecisionBody) {
  const { payment, evidence, request } = await checkReversal(op, transaction, body)
  const said = {
    payment,
    place: request.reversal.number,
    outcome: 'REVERSAL',
    charge: 0n,
    isOwed: false,
  } as const
  const vote = await castVote(op, ballotOf(said, body))
  const view = transactionView(transaction, transaction)
  if (!vote.decides) return proposeDecision(op, said, body, view, vote)
  const row = decisionRow(op, said, body, false)
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
  said: DecisionOf,
  body: DecisionBody,
  transaction: ReturnType<typeof transactionView>,
  { writes }: Vote,
) {
  const { id, state } = said.payment
  const stillWaits = expectRow('rail_payments', id, { state })
  if (writes.length === 0) return { body: { transaction }, writes: [stillWaits] }
  const row = decisionRow(op, said, body, true)
  return {
    body: { transaction, decision: decisionView(row) },
    writes: [...writes, insert('payment_decisions', row), stillWaits],
  }
}

/** True for the report of one of these lines, which the evidence resolves. */
function isOfLine({ body }: RailEventRow, lines: readonly StatementLine[]): boolean {
  return lines.some(({ entry }) => lineReportId(entry.rail_reference) === body.id)
}

/** Guard: nobody else has resolved the report. */
function resolveReport(op: Op, report: RailEventRow, reason: string): Write {
  const change = { note: reason, resolved_at: op.now }
  return transition(op, 'rail_events', RAIL_EVENT_TRANSITIONS, report, 'resolve', change).write
}
