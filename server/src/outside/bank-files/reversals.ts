import type { Op } from '../../kernel/operation/app.ts'
import { findRailEvent, recordReport } from '../../money/rail-events/rail-events.ts'
import { findRailPayment } from '../../money/rails/rail-payments.ts'
import { decide } from '../../money/rails/rail-worker.ts'
import { expectRow, update, type Write } from '../../storage/commit/writes.ts'
import { isOfKind, type ReversalRow } from '../../storage/rows/bank-file.ts'
import { achFailure, isReturnOfPayment } from './failure-reasons.ts'
import type { AchRecord } from './formats/ach-reader.ts'
import { bankEvent } from './hold-line.ts'
import type { BankFilesRail, BankFileWorker } from './rail.ts'
import { faultOfReversal } from './reversal-requests.ts'
import { selectQueued, selectWithFile } from './store.ts'

/**
 * Reversals of ACH: the opposite entry, in a separate file, asks the payee's bank to give a payment back. A reversal never
 * moves money. If it has failed, nothing has happened; a line that names it waits for a person, who decides about the payment.
 */

type Why = { readonly code: string; readonly message: string }

/**
 * The reason why a waiting reversal does not leave, or the guard for leaving: nothing has ended its payment in the meantime.
 */
export async function checkBeforeLeaving(
  op: Op,
  entry: BankFilesRail['entry'],
  { payment_id, details }: ReversalRow,
  effectiveOn: string,
): Promise<Why | { readonly guard: Write }> {
  if (details.routingNumber === undefined) return { code: 'ERASED', message: 'The customer was erased' }
  const payment = await findRailPayment(op, 'OUT', payment_id)
  if (payment?.state !== 'ACCEPTED' && payment?.state !== 'DELIVERED')
    return { code: 'PAYMENT_ENDED', message: 'The payment came back before the reversal left' }
  const found = await selectWithFile(op.read, payment.platform_id, payment.id)
  const fault = found
    ? faultOfReversal(entry, found, effectiveOn)
    : { fault: 'NOT_REVERSIBLE', message: 'The payment is in no file' }
  if (fault) return { code: fault.fault, message: fault.message }
  return { guard: expectRow('rail_payments', payment.id, { state: payment.state }) }
}

/** The write by which a reversal ends without an effect. Guard: no file has taken it in the meantime. */
export function endReversal(
  op: Op,
  { id, file_id, details }: ReversalRow,
  { code, message }: Why,
): readonly Write[] {
  if (details.failure) return []
  const failure = { code, message, at: op.now.toISOString() }
  return [update('bank_payments', id, { file_id }, { details: { ...details, failure } })]
}

/** The reports of a bank about a reversal that it did not carry out, or that came back. */
interface FailureReport {
  readonly id: string
  readonly type: 'payment.reversal-rejected' | 'payment.reversal-returned'
  readonly data: object
}

/**
 * Ends a reversal that the bank did not carry out, once. If a person has decided that its payment came back, the report
 * contradicts that, and waits for a person. Guard: nobody has decided in the meantime.
 */
export async function failReversal(
  op: Op,
  reversal: ReversalRow,
  why: Why,
  { id, type, data }: FailureReport,
): Promise<readonly Write[]> {
  const { payment_id, rail, details } = reversal
  if (await findRailEvent(op, rail, id)) return []
  const payment = await findRailPayment(op, 'OUT', payment_id)
  const isDecided = payment?.state === 'RETURNED' && payment.failure?.isDecided === true
  // A second report of a failure adds nothing.
  const reason = isDecided && !details.failure ? 'CONTRADICTION' : undefined
  const event = bankEvent(id, type, { ...data, reason: why.message, id: payment_id })
  return [
    ...endReversal(op, reversal, why),
    ...(payment ? [expectRow('rail_payments', payment.id, { state: payment.state })] : []),
    ...recordReport(op, rail, event, reason),
  ]
}

/** Applies the return of a reversal once. Its payment stays as it is. */
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
    const report = { id, type: 'payment.reversal-returned', data: record } as const
    const wrong = faultOfReturn(record, row)
    if (wrong)
      return recordReport(op, name, bankEvent(id, 'file.ach', { ...record, id: row.payment_id }), wrong)
    return failReversal(op, row, achFailure(record.reason, record.information), report)
  })
}

function faultOfReturn({ reason, entry }: Extract<AchRecord, { type: 'return' }>, { amount }: ReversalRow) {
  if (!isReturnOfPayment(reason)) return 'UNREADABLE'
  return entry.amount === amount ? undefined : 'OTHER_AMOUNT'
}
