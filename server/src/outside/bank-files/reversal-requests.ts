import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { present } from '@countersign/contract/core/objects'
import type { CarriedPayment, Reversal, Reversals } from '../../kernel/ports/reversals.ts'
import { insert } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'
import type { BankPaymentRow } from '../../storage/rows/bank-file.ts'
import { effectiveDate, networkDate } from './cut-off-times.ts'
import { reversalFor, reversalIdOf } from './queue.ts'
import { selectWithFile } from './store.ts'

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
  const row = reversalFor(payment, until, now)
  return { writes: [insert('bank_payments', row)], reversal: reversalView(row) }
}

async function findReversal(read: Read, { id, platform_id }: CarriedPayment): Promise<Reversal | undefined> {
  const row = await selectWithFile(read, platform_id, reversalIdOf(id))
  return row && reversalView(row)
}

function reversalView(row: BankPaymentRow): Reversal {
  return { status: statusOf(row), ...present({ failure: row.details.failure?.message }) }
}

function statusOf({ details: { failure, reversal }, file_id }: BankPaymentRow): Reversal['status'] {
  if (failure) return 'FAILED'
  if (reversal?.bookedBy !== undefined) return 'BOOKED'
  return file_id === null ? 'WAITING' : 'SENT'
}
