import type { Op } from '../../kernel/operation/app.ts'
import { findRailEvent, recordReport } from '../../money/rail-events/rail-events.ts'
import { findLastDecision, findRailPayment } from '../../money/rails/rail-payments.ts'
import { decide } from '../../money/rails/rail-worker.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import { isOfKind, type ReversalRow } from '../../storage/rows/bank-file.ts'
import type { RailPaymentRow } from '../../storage/rows/rail.ts'
import { isReturnOfPayment, toAchFailure } from './failure-reasons.ts'
import type { AchRecord } from './formats/ach-reader.ts'
import { toBankEvent } from './hold-line.ts'
import { toReversalIds } from './named-reversals.ts'
import type { BankFilesRail, BankFileWorker } from './rail.ts'
import { type EndReason, endReversal, findReversalFault, WITHDRAWN } from './reversal-requests.ts'
import { selectQueued, selectWithFile } from './store.ts'

/**
 * ACH reversals: the opposite entry, in a separate file, asks the payee's bank to return a payment. A
 * reversal itself never moves money here. A statement line that names one is held for manual review, which
 * decides about the payment.
 */

/** The guards for sending a reversal, or the writes that end it if it must not be sent. */
export type DepartureCheck = { readonly guards: readonly Write[] } | { readonly ended: readonly Write[] }

/**
 * Checks a reversal before it is sent with this effective date. The guards ensure that neither its payment
 * nor the reversal has ended in the meantime.
 */
export async function checkBeforeSending(
  op: Op,
  entry: BankFilesRail['entry'],
  reversal: ReversalRow,
  effectiveOn: string,
): Promise<DepartureCheck> {
  const { id, rail, payment_id, details } = reversal
  const payment = await findRailPayment(op, 'OUT', payment_id)
  const endReason = await findEndReason(op, entry, { reversal, payment, effectiveOn })
  if (endReason) {
    const data = { ...toReversalIds(reversal), reason: endReason.message }
    const event = toBankEvent(`${id} ended`, 'payment.reversal-ended', data)
    return { ended: [...endReversal(op, reversal, endReason), ...recordReport(op, rail, event, undefined)] }
  }
  return {
    guards: [
      ...(payment ? [expectRow('rail_payments', payment.id, { state: payment.state })] : []),
      expectRow('bank_payments', id, { details }),
    ],
  }
}

interface Departure {
  readonly reversal: ReversalRow
  readonly payment: RailPaymentRow | undefined
  readonly effectiveOn: string
}

async function findEndReason(
  op: Op,
  entry: BankFilesRail['entry'],
  { reversal, payment, effectiveOn }: Departure,
): Promise<EndReason | undefined> {
  if (reversal.details.routingNumber === undefined)
    return { code: 'ERASED', message: 'The customer was erased' }
  if (payment?.state !== 'ACCEPTED' && payment?.state !== 'DELIVERED')
    return { code: 'PAYMENT_ENDED', message: 'The payment was returned before the reversal was sent' }
  // A decision withdraws a waiting reversal, unless the rail was not configured at that time.
  const decision = await findLastDecision(op, payment)
  const requestedAt = new Date(reversal.details.requestedAt ?? reversal.created_at)
  if (decision && decision.created_at > requestedAt) return WITHDRAWN
  const found = await selectWithFile(op.read, payment.platform_id, payment.id)
  if (!found) return { code: 'NOT_REVERSIBLE', message: 'The payment is not in a file' }
  const fault = findReversalFault(entry, found, effectiveOn)
  return fault && { code: fault.fault, message: fault.message }
}

/** A bank's report that it rejected or returned a reversal. */
interface FailureReport {
  readonly id: string
  readonly type: 'payment.reversal-rejected' | 'payment.reversal-returned'
  readonly data: object
}

/**
 * Ends a reversal that the bank rejected or returned, once. If an operator decided that the money is back,
 * the report contradicts that decision and waits for manual review. The guards ensure that nothing was
 * decided in the meantime.
 */
export async function failReversal(
  op: Op,
  reversal: ReversalRow,
  endReason: EndReason,
  { id, type, data }: FailureReport,
): Promise<readonly Write[]> {
  const { payment_id, rail, details } = reversal
  if (await findRailEvent(op, rail, id)) return []
  const payment = await findRailPayment(op, 'OUT', payment_id)
  const decision = payment && (await findLastDecision(op, payment))
  // A second failure report adds nothing, unless an operator has decided in between.
  const isKnown = details.failure && decision && new Date(details.failure.at) >= decision.created_at
  const isBack = decision !== undefined && decision.outcome !== 'DELIVERED'
  const reason = isBack && !isKnown ? 'CONTRADICTION' : undefined
  const event = toBankEvent(id, type, { ...data, ...toReversalIds(reversal), reason: endReason.message })
  return [
    ...endReversal(op, reversal, endReason),
    ...(payment ? [expectRow('rail_payments', payment.id, { state: payment.state })] : []),
    ...recordReport(op, rail, event, reason),
  ]
}

/**
 * Applies the return of a reversal once. Its payment does not change. A return that does not match the
 * reversal waits for manual review and changes nothing.
 */
export function applyReversalReturn(
  worker: BankFileWorker,
  { id: reversalId }: ReversalRow,
  record: Extract<AchRecord, { type: 'return' }>,
  id: string,
): Promise<void> {
  const { name } = worker.rail
  return decide(worker, async (op) => {
    const row = await selectQueued(op, reversalId)
    if (!row || !isOfKind(row, 'REVERSAL') || (await findRailEvent(op, name, id))) return []
    // Contains no names or accounts, because the customer may have been erased in the meantime.
    const data = { code: record.reason, amount: record.entry.amount, trace: record.entry.trace }
    const report = { id, type: 'payment.reversal-returned', data } as const
    const mismatch = findFault(record, row)
    if (mismatch)
      return recordReport(
        op,
        name,
        toBankEvent(id, 'file.ach', { ...record, ...toReversalIds(row) }),
        mismatch,
      )
    return failReversal(op, row, toAchFailure(record.reason, record.information), report)
  })
}

function findFault({ reason, entry }: Extract<AchRecord, { type: 'return' }>, { amount }: ReversalRow) {
  if (!isReturnOfPayment(reason)) return 'UNREADABLE'
  return entry.amount === amount ? undefined : 'OTHER_AMOUNT'
}
