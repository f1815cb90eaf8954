import type { Op } from '../../kernel/operation/app.ts'
import { findRailEvent, recordReport } from '../../money/rail-events/rail-events.ts'
import { findLastDecision, findRailPayment } from '../../money/rails/rail-payments.ts'
import { decide } from '../../money/rails/rail-worker.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import { isOfKind, type ReversalRow } from '../../storage/rows/bank-file.ts'
import type { RailPaymentRow } from '../../storage/rows/rail.ts'
import { achFailure, isReturnOfPayment } from './failure-reasons.ts'
import type { AchRecord } from './formats/ach-reader.ts'
import { bankEvent } from './hold-line.ts'
import { aboutReversal } from './named-reversals.ts'
import type { BankFilesRail, BankFileWorker } from './rail.ts'
import { endReversal, faultOfReversal, type WhyEnded, WITHDRAWN } from './reversal-requests.ts'
import { selectQueued, selectWithFile } from './store.ts'

/**
 * Reversals of ACH: the opposite entry, in a separate file, asks the payee's bank to give a payment back. A
 * reversal never moves money. If it has failed, nothing has happened; a line that names it waits for a person, who
 * decides about the payment.
 */

/** The guards for leaving, or the writes that end a reversal which does not leave. */
export type Leaving = { readonly guards: readonly Write[] } | { readonly ended: readonly Write[] }

/**
 * Checks a reversal before it leaves with this effective date. Guards: neither its payment nor the reversal has
 * ended in the meantime.
 */
export async function checkBeforeLeaving(
  op: Op,
  entry: BankFilesRail['entry'],
  reversal: ReversalRow,
  effectiveOn: string,
): Promise<Leaving> {
  const { id, rail, payment_id, details } = reversal
  const payment = await findRailPayment(op, 'OUT', payment_id)
  const why = await whyNotLeaving(op, entry, { reversal, payment, effectiveOn })
  if (why) {
    const data = { ...aboutReversal(reversal), reason: why.message }
    const event = bankEvent(`${id} ended`, 'payment.reversal-ended', data)
    return { ended: [...endReversal(op, reversal, why), ...recordReport(op, rail, event, undefined)] }
  }
  return {
    guards: [
      ...(payment ? [expectRow('rail_payments', payment.id, { state: payment.state })] : []),
      expectRow('bank_payments', id, { details }),
    ],
  }
}

interface Leaver {
  readonly reversal: ReversalRow
  readonly payment: RailPaymentRow | undefined
  readonly effectiveOn: string
}

async function whyNotLeaving(
  op: Op,
  entry: BankFilesRail['entry'],
  { reversal, payment, effectiveOn }: Leaver,
): Promise<WhyEnded | undefined> {
  if (reversal.details.routingNumber === undefined)
    return { code: 'ERASED', message: 'The customer was erased' }
  if (payment?.state !== 'ACCEPTED' && payment?.state !== 'DELIVERED')
    return { code: 'PAYMENT_ENDED', message: 'The payment came back before the reversal left' }
  // A decision withdraws a waiting reversal, unless the rail was not configured then.
  const decision = await findLastDecision(op, payment)
  const requestedAt = new Date(reversal.details.requestedAt ?? reversal.created_at)
  if (decision && decision.created_at > requestedAt) return WITHDRAWN
  const found = await selectWithFile(op.read, payment.platform_id, payment.id)
  if (!found) return { code: 'NOT_REVERSIBLE', message: 'The payment is in no file' }
  const fault = faultOfReversal(entry, found, effectiveOn)
  return fault && { code: fault.fault, message: fault.message }
}

/** The reports of a bank about a reversal that it did not carry out, or that came back. */
interface FailureReport {
  readonly id: string
  readonly type: 'payment.reversal-rejected' | 'payment.reversal-returned'
  readonly data: object
}

/**
 * Ends a reversal that the bank did not carry out, once. If a person has decided that the payer has the
 * money, the report contradicts that, and waits for a person. Guards: nobody has decided or ended it in the meantime.
 */
export async function failReversal(
  op: Op,
  reversal: ReversalRow,
  why: WhyEnded,
  { id, type, data }: FailureReport,
): Promise<readonly Write[]> {
  const { payment_id, rail, details } = reversal
  if (await findRailEvent(op, rail, id)) return []
  const payment = await findRailPayment(op, 'OUT', payment_id)
  const decision = payment && (await findLastDecision(op, payment))
  // A second report of a failure adds nothing, unless somebody has decided in between.
  const isKnown = details.failure && decision && new Date(details.failure.at) >= decision.created_at
  const isBack = decision !== undefined && decision.outcome !== 'DELIVERED'
  const reason = isBack && !isKnown ? 'CONTRADICTION' : undefined
  const event = bankEvent(id, type, { ...data, ...aboutReversal(reversal), reason: why.message })
  return [
    ...endReversal(op, reversal, why),
    ...(payment ? [expectRow('rail_payments', payment.id, { state: payment.state })] : []),
    ...recordReport(op, rail, event, reason),
  ]
}

/**
 * Applies the return of a reversal once. Its payment stays as it is. A return that cannot be understood waits for a
 * person, and changes nothing.
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
    // Without names and accounts, because the customer may have been erased in the meantime.
    const data = { code: record.reason, amount: record.entry.amount, trace: record.entry.trace }
    const report = { id, type: 'payment.reversal-returned', data } as const
    const wrong = faultOfReturn(record, row)
    if (wrong)
      return recordReport(op, name, bankEvent(id, 'file.ach', { ...record, ...aboutReversal(row) }), wrong)
    return failReversal(op, row, achFailure(record.reason, record.information), report)
  })
}

function faultOfReturn({ reason, entry }: Extract<AchRecord, { type: 'return' }>, { amount }: ReversalRow) {
  if (!isReturnOfPayment(reason)) return 'UNREADABLE'
  return entry.amount === amount ? undefined : 'OTHER_AMOUNT'
}
