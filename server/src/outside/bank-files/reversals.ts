import type { Op } from '../../kernel/operation/app.ts'
import type { PaymentEvidence } from '../../money/evidence/evidence.ts'
import { eventOfEvidence } from '../../money/rail-events/evidence-of-event.ts'
import { findRailEvent, recordReport } from '../../money/rail-events/rail-events.ts'
import { decide, opOf } from '../../money/rails/rail-worker.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { BankPaymentRow, QueuedPaymentRow } from '../../storage/rows/bank-file.ts'
import { effectiveDate } from './cut-off-times.ts'
import { achFailure, isReturnOfPayment } from './failure-reasons.ts'
import type { AchRecord } from './formats/ach-reader.ts'
import { bankEvent } from './hold-line.ts'
import { selectWaitingReversals } from './queue-store.ts'
import type { BankFileWorker } from './rail.ts'
import { selectBankPayment } from './store.ts'

/**
 * Reversals of ACH: the opposite entry asks the other bank to give back a payment, or to take back a pull. A reversal is a row
 * of `bank_payments`, as a prenote is. Its booking returns the payment; nothing else about it moves money.
 */

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

/** The write by which a reversal ends without an effect. Guard: no file has taken it in the meantime. */
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
