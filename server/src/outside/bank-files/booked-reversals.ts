import type { Op } from '../../kernel/operation/app.ts'
import type { PaymentEvidence } from '../../money/evidence/evidence.ts'
import { railPaymentId } from '../../money/rails/rail-ids.ts'
import { findRailPayment } from '../../money/rails/rail-payments.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import { reversalIdOf } from './queue.ts'
import { selectBankPayment, selectHasOtherReturn } from './store.ts'

/** A payment comes back once: by its own return, or by the booking of its reversal. */

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
