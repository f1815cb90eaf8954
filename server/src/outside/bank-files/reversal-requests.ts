import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { present } from '@countersign/contract/core/objects'
import type { CarriedPayment, Reversal, ReversalFault, Reversals } from '../../kernel/ports/reversals.ts'
import { nextOpening } from '../../money/rails/opening-hours.ts'
import { insert } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'
import { type BankPaymentRow, isOfKind } from '../../storage/rows/bank-file.ts'
import { effectiveDateOfQueued, networkDate } from './cut-off-times.ts'
import { reversalFor, reversalIdOf } from './queue.ts'
import { selectWithFile } from './store.ts'

/** Nacha: the other bank has a reversal by the fifth banking day after the settlement of the payment. */
const DAYS_MAX = 5

/** The requests for reversals of a rail of ACH files; none of other formats. */
export function reversalsOf(entry: BankFilesRailValue): { readonly reversals?: Reversals } {
  if (entry.format.type !== 'ACH') return {}
  return {
    reversals: {
      request: (...of) => requestReversal(entry, ...of),
      find: findReversal,
      findLast: findLastReversal,
    },
  }
}

async function requestReversal(
  entry: BankFilesRailValue,
  read: Read,
  payment: CarriedPayment,
  now: Date,
): ReturnType<Reversals['request']> {
  const found = await selectWithFile(read, payment.platform_id, payment.id)
  if (!found?.accepted_at || !isOfKind(found, 'PAYMENT'))
    return { fault: 'NOT_SENT', message: 'The bank has not accepted the file of this payment yet.' }
  const { executed_on, accepted_at: _, format, ...row } = found
  const earlier = await findLastReversal(read, payment)
  if (earlier && earlier.status !== 'FAILED')
    return {
      fault: 'ALREADY_REQUESTED',
      message: `This payment has a reversal that is ${earlier.status}. Only a failed one is followed by another.`,
    }
  const queuedAt = entry.hours ? nextOpening(entry.hours, now) : now
  const fault = faultOfReversal(entry, { executed_on, format }, effectiveDateOfQueued(entry, queuedAt))
  if (fault) return fault
  const number = (earlier?.number ?? 0) + 1
  const reversal = reversalFor(row, number, queuedAt)
  return { writes: [insert('bank_payments', reversal)], reversal: reversalView(reversal, number) }
}

/** The file of a payment. */
type FileOfPayment = Pick<NonNullable<Awaited<ReturnType<typeof selectWithFile>>>, 'executed_on' | 'format'>

/** The reason why a payment of this file cannot be reversed by an entry of this date; undefined if it can. */
export function faultOfReversal(
  entry: BankFilesRailValue,
  { executed_on, format }: FileOfPayment,
  effectiveOn: string,
): ReversalFault | undefined {
  if (entry.format.type !== 'ACH' || format?.type !== 'ACH' || executed_on === null)
    return { fault: 'NOT_REVERSIBLE', message: 'Only ACH files can ask for a payment back.' }
  if (format.companyId !== entry.format.companyId)
    return {
      fault: 'NOT_REVERSIBLE',
      message: `The company ${format.companyId} has sent this payment, and only it can ask for it back.`,
    }
  const until = networkDate(entry, executed_on, DAYS_MAX)
  if (effectiveOn <= until) return undefined
  return {
    fault: 'TOO_LATE',
    message: `The payee's bank needs a reversal by ${until}, and the next file has the date ${effectiveOn}.`,
  }
}

async function findReversal(
  read: Read,
  { id, platform_id }: CarriedPayment,
  number: number,
): Promise<Reversal | undefined> {
  const row = await selectWithFile(read, platform_id, reversalIdOf(id, number))
  return row && reversalView(row, number)
}

async function findLastReversal(read: Read, payment: CarriedPayment): Promise<Reversal | undefined> {
  let last: Reversal | undefined
  for (let next = await findReversal(read, payment, 1); next; ) {
    last = next
    next = await findReversal(read, payment, last.number + 1)
  }
  return last
}

function reversalView(row: BankPaymentRow, number: number): Reversal {
  return { number, status: statusOf(row), ...present({ failure: row.details.failure?.message }) }
}

function statusOf({ details, file_id }: BankPaymentRow): Reversal['status'] {
  if (details.failure) return 'FAILED'
  return file_id === null ? 'WAITING' : 'SENT'
}
