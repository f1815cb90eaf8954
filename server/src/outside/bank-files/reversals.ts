import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import type { Op } from '../../kernel/operation/app.ts'
import type { CarriedPayment, Reversal, Reversals } from '../../kernel/ports/rail.ts'
import type { PaymentEvidence } from '../../money/evidence/evidence.ts'
import { eventOfEvidence } from '../../money/rail-events/evidence-of-event.ts'
import { findRailEvent, recordReport } from '../../money/rail-events/rail-events.ts'
import { railPaymentId } from '../../money/rails/rail-ids.ts'
import { findRailPayment } from '../../money/rails/rail-payments.ts'
import { decide, opOf } from '../../money/rails/rail-worker.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'
import type { BankPaymentRow, QueuedPaymentRow } from '../../storage/rows/bank-file.ts'
import { effectiveDate, networkDate } from './cut-off-times.ts'
import { achFailure, isReturnOfPayment } from './failure-reasons.ts'
import type { AchRecord } from './formats/ach-reader.ts'
import { bankEvent } from './hold-line.ts'
import { reversalFor, reversalIdOf } from './queue.ts'
import { selectWaitingReversals } from './queue-store.ts'
import type { BankFileWorker } from './rail.ts'
import { selectBankPayment, selectHasOtherReturn, selectWithFile } from './store.ts'

/**
 * Reversals of ACH: the opposite entry asks the other bank to give back a payment, or to take back a pull. A reversal is a row
 * of `bank_payments`, as a prenote is. Its booking returns the payment; nothing else about it moves money.
 */

/** Nacha: the other bank has it within five banking days after the settlement of the payment. */
const DAYS_MAX = 5

/** The requests for reversals of an ACH rail. */
export function reversalsOf(entry: BankFilesRailValue): { readonly reversals?: Reversals } {
  const { format } = entry
  if (format.type !== 'ACH') return {}
  const { companyId } = format
  return {
    reversals: {
      request: (read, payment, now) => requestReversal({ entry, companyId, now }, read, payment),
      find: findReversal,
    },
  }
}

interface Asking {
  readonly entry: BankFilesRailValue
  readonly companyId: string
  readonly now: Date
}

async function requestReversal(
  { entry, companyId, now }: Asking,
  read: Read,
  { id, platform_id: platformId }: CarriedPayment,
): ReturnType<Reversals['request']> {
  const found = await selectWithFile(read, platformId, id)
  if (!found?.executed_on || !found.accepted_at || found.format?.type !== 'ACH')
    return { fault: 'This payment is in no accepted file.' }
  const { executed_on: settledOn, accepted_at: _, format, ...payment } = found
  if (format.companyId !== companyId)
    return {
      fault: `This payment was sent by the company ${format.companyId}, and a reversal has to be as well.`,
    }
  const until = networkDate(entry, settledOn, DAYS_MAX)
  if (effectiveDate(entry, now) > until)
    return {
      fault: `A reversal has to be with the other bank by ${until}, and the next file would be too late.`,
    }
  return { writes: [insert('bank_payments', reversalFor(payment, until, now))] }
}

async function findReversal(read: Read, { id, platform_id }: CarriedPayment): Promise<Reversal | undefined> {
  const row = await selectWithFile(read, platform_id, reversalIdOf(id))
  if (!row) return undefined
  const { failure, reversal } = row.details
  if (failure) return { status: 'FAILED', failure: failure.message }
  if (reversal?.bookedBy !== undefined) return { status: 'BOOKED' }
  return { status: row.file_id === null ? 'WAITING' : 'SENT' }
}

const TOO_LATE = { code: 'TOO_LATE', message: 'No file could carry it in time' }
const IS_BACK = { code: 'PAYMENT_ENDED', message: 'The payment has come back without it' }

/** Ends the waiting reversals that no file can carry in time, and those whose payment is back. */
export async function endReversals(worker: BankFileWorker): Promise<void> {
  const { name, entry } = worker.rail
  if (entry.format.type !== 'ACH') return
  const op = await opOf(worker)
  const next = effectiveDate(entry, op.now)
  for (const { isOpen, ...row } of await selectWaitingReversals(op, name))
    if (!isOpen || (row.details.reversal?.until ?? next) < next)
      await decide(worker, async (op) => endReversal(op, row, isOpen ? TOO_LATE : IS_BACK))
}

/** The write by which a reversal ends without an effect. Guard: no file has taken it meanwhile. */
export function endReversal(
  op: Op,
  { id, file_id, details }: BankPaymentRow,
  { code, message }: { readonly code: string; readonly message: string },
): readonly Write[] {
  if (details.failure || details.reversal?.bookedBy !== undefined) return []
  const failure = { code, message, at: op.now.toISOString() }
  return [update('bank_payments', id, { file_id }, { details: { ...details, failure } })]
}

/**
 * Applies the return of a reversal once: the payment stays as it is. If a statement has booked the reversal before, the
 * payment is with the other side after all, and a person decides.
 */
export function applyReversalReturn(
  worker: BankFileWorker,
  { id: reversalId }: QueuedPaymentRow,
  record: Extract<AchRecord, { type: 'return' }>,
  id: string,
): Promise<void> {
  const { name } = worker.rail
  const failure = achFailure(record.reason, record.information)
  return decide(worker, async (op) => {
    const row = await selectBankPayment(op, reversalId)
    if (!row || (await findRailEvent(op, name, id))) return []
    const data = { ...record, id: row.payment_id }
    const event = bankEvent(id, 'reversal.returned', data)
    if (!isReturnOfPayment(record.reason)) return recordReport(op, name, event, 'UNREADABLE')
    if (record.entry.amount !== row.amount) return recordReport(op, name, event, 'OTHER_AMOUNT')
    if (row.details.reversal?.bookedBy !== undefined)
      return recordReport(op, name, eventOfEvidence(deliveredAfterAll(op, row, id, failure)), 'CONTRADICTION')
    return [...endReversal(op, row, failure), ...recordReport(op, name, event, undefined)]
  })
}

function deliveredAfterAll(
  op: Op,
  { direction, payment_id, amount, currency }: QueuedPaymentRow,
  id: string,
  failure: PaymentEvidence['failure'],
): PaymentEvidence {
  return {
    id,
    source: 'ACH_FILE',
    account: null,
    kind: 'payment',
    event: 'deliver',
    subject: { direction, id: payment_id },
    amount,
    currency,
    occurredAt: op.now.toISOString(),
    ...(failure ? { failure } : {}),
  }
}

/** True if the bank has booked the reversal of a payment: nothing else of it comes back. */
export async function isReversed(op: Op, { direction, id }: PaymentEvidence['subject']): Promise<boolean> {
  const reversal = await selectBankPayment(op, reversalIdOf(railPaymentId(direction, id)))
  return reversal?.details.reversal?.bookedBy !== undefined
}

/** True if this entry of a statement can book a reversal: it has not failed, and its payment is not back otherwise. */
export async function canBeBooked(op: Op, reversalId: string, entryId: string): Promise<boolean> {
  const row = await selectBankPayment(op, reversalId)
  if (!row || row.details.failure) return false
  // An advice may have told of the same booking.
  if (row.details.reversal?.bookedBy !== undefined)
    return !(await selectHasOtherReturn(op, row.payment_id, entryId))
  const payment = await findRailPayment(op, row.direction, row.payment_id)
  return payment?.state === 'ACCEPTED' || payment?.state === 'DELIVERED'
}

/** Records that a line has booked a reversal. Another amount waits for a person, who decides about the payment. */
export async function noteBooked(
  op: Op,
  reversalId: string,
  { line, amount }: { readonly line: string; readonly amount: bigint | null },
): Promise<readonly Write[]> {
  const row = await selectBankPayment(op, reversalId)
  const reversal = row?.details.reversal
  if (!row || !reversal || reversal.bookedBy !== undefined || row.details.failure) return []
  if (amount !== row.amount) return []
  const details = { ...row.details, reversal: { ...reversal, bookedBy: line } }
  return [update('bank_payments', reversalId, { file_id: row.file_id }, { details })]
}
