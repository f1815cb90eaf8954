import { isObject } from '@countersign/contract/core/decode'
import type { SettledOutcome } from '@countersign/contract/operation/payment-decisions'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import type { RequestedReversal, Reversal } from '../../kernel/ports/reversals.ts'
import type { TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { findRailEvent, findTakeBack } from '../../money/rail-events/rail-events.ts'
import { lineReportId } from '../../money/rail-events/waiting-lines.ts'
import { findRailPayment } from '../../money/rails/rail-payments.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { PaymentDecisionRow, RailEventRow, RailPaymentRow } from '../../storage/rows/rail.ts'
import type { StatementLine } from '../reconciliations/explain-lines.ts'
import type { DecisionEffect } from './decision-table.ts'
import { type CheckedEvidence, checkEvidence } from './evidence.ts'
import { type DecisionBody, decisionView, notDecidable, reversalIdIn } from './payment-decisions.ts'

/** A reversal that can be requested. */
interface CheckedReversal {
  readonly payment: RailPaymentRow
  readonly evidence: CheckedEvidence
  /** Gives the request to the rail. Guard: no other was queued in the meantime. */
  readonly request: RequestedReversal
}

/**
 * A reversal of the payment of a transaction. Errors: 400 `INVALID_INPUT` for fields that a reversal does not have, 409
 * `PAYMENT_NOT_DECIDABLE` if it cannot be requested now, 409 `INVALID_STATE_TRANSITION` if the payment has ended.
 */
export async function checkReversal(
  op: Op,
  transaction: TransactionWithCustomer,
  body: DecisionBody,
): Promise<CheckedReversal> {
  checkFields(body)
  const payment = await sentPayment(op, transaction)
  const request = await op.rails.find(payment.rail)?.reversals?.request(op.read, payment, op.now)
  if (!request)
    throw notDecidable(
      'NOT_REVERSIBLE',
      'The rail of this payment cannot ask for it back: only ACH files can.',
    )
  if ('fault' in request) throw notDecidable(request.fault, request.message)
  const claimed = { transaction, payment, outcome: 'REVERSAL', charge: 0n, reason: body.reason } as const
  return { payment, evidence: await checkEvidence(op, claimed, body.evidence), request }
}

function checkFields({ charge, railEventId, evidence }: DecisionBody): void {
  const fields = {
    charge,
    railEventId,
    'evidence.statementEntryIds': evidence.statementEntryIds,
  }
  for (const [field, value] of Object.entries(fields))
    if (value !== undefined) throw fieldError('INVALID_INPUT', field, `A reversal has no ${field}`)
}

/** A payment out that its rail has, or that counts as delivered. */
async function sentPayment(op: Op, { id }: TransactionWithCustomer): Promise<RailPaymentRow> {
  const payment = await findRailPayment(op, 'OUT', id)
  if (!payment)
    throw (await findRailPayment(op, 'PULL', id))
      ? notDecidable('NOT_REVERSIBLE', 'This is a pull. Only payments out are reversed: send the money back.')
      : notDecidable('NOT_GIVEN', 'No rail was given a payment out of this transaction.')
  const { state } = payment
  if (state === 'GIVEN')
    throw notDecidable(
      'NOT_SENT',
      'This payment is not in an accepted file yet. Wait until it is, or cancel it.',
    )
  if (state === 'ACCEPTED' || state === 'DELIVERED') return payment
  throw new ApiError('INVALID_STATE_TRANSITION', {
    message: `This payment has ended: it is ${state}. There is nothing to reverse.`,
    details: { status: state },
  })
}

/** The requests for reversals of a payment, in order. */
export async function reversalsOf(op: Op, payment: RailPaymentRow): Promise<readonly Reversal[]> {
  return (await op.rails.find(payment.rail)?.reversals?.list(op.read, payment)) ?? []
}

/** A decision about the outcome of a payment, and what is known about its reversals. */
interface Outcome {
  readonly payment: RailPaymentRow
  readonly outcome: SettledOutcome
  readonly effect: DecisionEffect
  readonly reversals: readonly Reversal[]
  /** The report that the decision resolves. */
  readonly report: RailEventRow | undefined
  readonly lines: readonly StatementLine[]
}

/**
 * Compares a decision with the reversals of its payment, so that the money of a reversal reaches the payer only while
 * the bank has it. Returns the writes for the reversals: RETURNED guards that none ended in the meantime, and DELIVERED
 * ends the one that its report is about. Errors: 409 `PAYMENT_NOT_DECIDABLE`, 400 `INVALID_INPUT`.
 */
export async function checkReversals(op: Op, decided: Outcome): Promise<readonly Write[]> {
  const { payment, outcome, reversals, report } = decided
  for (const line of decided.lines) await checkLine(op, decided, line)
  if (outcome === 'RETURNED') {
    await checkMoneyBack(op, decided)
    return reversals.filter(({ status }) => status === 'SENT').map(({ guard }) => guard)
  }
  const id = report && reversalIdIn(report)
  if (outcome !== 'DELIVERED' || id === undefined) return []
  if (report && isMoneyIn(report))
    throw fieldError(
      'INVALID_INPUT',
      'railEventId',
      'The line of this report books money that came back: decide RETURNED with it, or match it',
    )
  return (await op.rails.find(payment.rail)?.reversals?.end(op.read, payment, { id }, op.now)) ?? []
}

/** Error: 409 if the money of a reversal may be on its way, and no line proves that it has arrived and stayed. */
async function checkMoneyBack(op: Op, { payment, reversals, lines }: Outcome): Promise<void> {
  if (reversals.at(-1)?.status !== 'SENT') return
  if (!lines.some(({ entry }) => entry.amount > 0n))
    throw notDecidable(
      'LINE_REQUIRED',
      'A payment whose reversal was sent is decided RETURNED only with the line of a statement that books the money.',
    )
  const takeBack = await findTakeBack(op, payment.rail, payment.payment_id)
  if (takeBack !== undefined)
    throw notDecidable(
      'REVERSAL_TAKEN_BACK',
      `The bank may have taken the reversal back: resolve ${takeBack} first, or decide DELIVERED about it.`,
    )
}

/** Error: 409 or 400 if a line names a reversal and does not book what is decided. */
async function checkLine(
  op: Op,
  { payment, effect, reversals }: Outcome,
  { entry }: StatementLine,
): Promise<void> {
  const report = await findRailEvent(op, payment.rail, lineReportId(entry.rail_reference))
  const id = report && reversalIdIn(report)
  if (id === undefined) return
  const reversal = reversals.find((one) => one.id === id)
  if (!reversal)
    throw fieldError(
      'INVALID_INPUT',
      'evidence.statementEntryIds',
      `The line ${entry.id} books the reversal of another payment`,
    )
  if (entry.amount < 0n && effect !== 'owe')
    throw notDecidable(
      'REVERSAL_TAKEN_BACK',
      `The line ${entry.id} takes back a reversal: match it with the line that it takes back.`,
    )
  if (entry.amount > 0n && reversal.status !== 'SENT')
    throw notDecidable(
      'REVERSAL_FAILED',
      `The line ${entry.id} books a reversal that has failed: match it with the line that takes it back.`,
    )
}

/** True for a line of a statement by which money came in. */
function isMoneyIn({ type, body }: RailEventRow): boolean {
  const amount = isObject(body.data) ? body.data.amount : undefined
  return type === 'file.booking' && typeof amount === 'string' && !amount.startsWith('-')
}

/** Decisions as the API shows them, with the progress of each reversal. */
export function decisionViews(op: Op, rows: readonly PaymentDecisionRow[]) {
  return Promise.all(rows.map(async (row) => decisionView(row, await reversalOf(op, row))))
}

async function reversalOf(op: Op, row: PaymentDecisionRow): Promise<Reversal | undefined> {
  if (row.outcome !== 'REVERSAL' || row.is_proposal) return undefined
  const payment = await findRailPayment(op, 'OUT', row.transaction_id)
  return payment && (await reversalsOf(op, payment)).find(({ number }) => number === row.place)
}
