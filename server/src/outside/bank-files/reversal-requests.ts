import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { present } from '@countersign/contract/core/objects'
import type { CarriedPayment, Reversal, ReversalFault, Reversals } from '../../kernel/ports/reversals.ts'
import { nextOpening } from '../../money/rails/opening-hours.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'
import { type BankPaymentRow, isOfKind, type ReversalRow } from '../../storage/rows/bank-file.ts'
import { dayOfBankTime, effectiveDateOfQueued, formatBankTime, networkDate } from './cut-off-times.ts'
import { selectFilesOfDay } from './file-store.ts'
import { workerIdOf } from './ids.ts'
import { isMicroFile, isReversalFile, reversalFor, reversalIdOf } from './queue.ts'
import { countWaitingReversals } from './queue-store.ts'
import { selectWithFile, selectWorkerById } from './store.ts'

/** Nacha: the other bank has a reversal by the fifth banking day after the settlement of the payment. */
const DAYS_MAX = 5

/** Leaves most of the 36 files that an ACH bank can tell apart on a day to payments. */
export const REVERSALS_PER_DAY_MAX = 6

/** The requests for reversals of a rail of ACH files; none of other formats. */
export function reversalsOf(entry: BankFilesRailValue): { readonly reversals?: Reversals } {
  const { format } = entry
  if (format.type !== 'ACH') return {}
  return {
    reversals: {
      request: (...of) => requestReversal({ ...entry, format }, ...of),
      list: listReversals,
      withdraw: withdrawReversal,
    },
  }
}

type AchRail = BankFilesRailValue & {
  readonly format: Extract<BankFilesRailValue['format'], { type: 'ACH' }>
}

async function requestReversal(
  rail: AchRail,
  read: Read,
  payment: CarriedPayment,
  now: Date,
): ReturnType<Reversals['request']> {
  // Read before the queue, so that a request in the meantime is noticed.
  const worker = await selectWorkerById(read, payment.platform_id, workerIdOf(rail.name))
  const found = await selectWithFile(read, payment.platform_id, payment.id)
  if (!worker || !found?.accepted_at || !isOfKind(found, 'PAYMENT'))
    return { fault: 'NOT_SENT', message: 'The bank has not accepted the file of this payment yet.' }
  if (isMicroFile({ batches: [found.batch] }))
    return { fault: 'NOT_REVERSIBLE', message: 'Deposits that verify an account are not asked back.' }
  const { executed_on, accepted_at: _, format, ...row } = found
  const earlier = await listReversals(read, payment)
  const last = earlier.at(-1)
  if (last && last.status !== 'FAILED')
    return {
      fault: 'ALREADY_REQUESTED',
      message: `This payment has a reversal that is ${last.status}. Only a failed one is followed by another.`,
    }
  const queuedAt = rail.hours ? nextOpening(rail.hours, now) : now
  const file = { executed_on, format }
  const fault =
    faultOfReversal(rail, file, effectiveDateOfQueued(rail, queuedAt, 0)) ??
    (await faultOfQueue(rail, read, payment, { file, queuedAt }))
  if (fault) return fault
  const reversal = reversalFor(row, earlier.length + 1, { requestedAt: now, queuedAt })
  const { id, reversals } = worker
  return {
    writes: [
      insert('bank_payments', reversal),
      update('bank_file_workers', id, { reversals }, { reversals: reversals + 1n }),
    ],
    reversal: reversalView(reversal, earlier.length + 1),
  }
}

/** The reason why the days that remain cannot carry one more reversal; undefined if they can. */
async function faultOfQueue(
  rail: AchRail,
  read: Read,
  { platform_id }: CarriedPayment,
  { file, queuedAt }: { readonly file: FileOfPayment; readonly queuedAt: Date },
): Promise<ReversalFault | undefined> {
  const day = dayOfBankTime(formatBankTime(rail, queuedAt))
  const sent = (await selectFilesOfDay(read, platform_id, rail.format, day)).filter(isReversalFile)
  const waiting = await countWaitingReversals(read, platform_id, rail.name)
  const days = Math.floor((sent.length + waiting) / REVERSALS_PER_DAY_MAX)
  const fault = faultOfReversal(rail, file, effectiveDateOfQueued(rail, queuedAt, days))
  return (
    fault && {
      fault: 'TOO_MANY',
      message: `${waiting} reversals wait, and ${REVERSALS_PER_DAY_MAX} leave a day. ${fault.message}`,
    }
  )
}

/** The fields by which banks know the originator and its account. */
const ORIGINATOR = [
  'destination',
  'origin',
  'companyId',
  'companyName',
  'originatingBank',
  'accountNumber',
  'routingNumber',
] as const

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
  const { format: current } = entry
  const changed = ORIGINATOR.find((field) => format[field] !== current[field])
  if (changed)
    return {
      fault: 'NOT_REVERSIBLE',
      message: `Only the originator of a payment can ask for it back: format.${changed} was ${format[changed]}.`,
    }
  const until = networkDate(entry, executed_on, DAYS_MAX)
  if (effectiveOn <= until) return undefined
  return {
    fault: 'TOO_LATE',
    message: `The payee's bank needs a reversal by ${until}, and the next file has the date ${effectiveOn}.`,
  }
}

/** The reason why a reversal has no effect. */
export interface WhyEnded {
  readonly code: string
  readonly message: string
}

/** The write by which a reversal ends without an effect. Guard: it is in the same file, and not erased. */
export function endReversal(
  { now }: { readonly now: Date },
  { id, file_id, details }: ReversalRow,
  { code, message }: WhyEnded,
): readonly Write[] {
  if (details.failure) return []
  const failure = { code, message, at: now.toISOString() }
  return [update('bank_payments', id, { file_id, details }, { details: { ...details, failure } })]
}

export const WITHDRAWN: WhyEnded = {
  code: 'WITHDRAWN',
  message: 'The payment was decided before the reversal left',
}

async function withdrawReversal(read: Read, payment: CarriedPayment, now: Date): Promise<readonly Write[]> {
  const last = (await rowsOf(read, payment)).at(-1)
  return last && statusOf(last) === 'WAITING' ? endReversal({ now }, last, WITHDRAWN) : []
}

async function listReversals(read: Read, payment: CarriedPayment): Promise<readonly Reversal[]> {
  return (await rowsOf(read, payment)).map((row, index) => reversalView(row, index + 1))
}

async function rowsOf(read: Read, { id, platform_id }: CarriedPayment): Promise<readonly ReversalRow[]> {
  const found: ReversalRow[] = []
  for (;;) {
    const row = await selectWithFile(read, platform_id, reversalIdOf(id, found.length + 1))
    if (!row || !isOfKind(row, 'REVERSAL')) return found
    found.push(row)
  }
}

function reversalView(row: BankPaymentRow, number: number): Reversal {
  return { number, status: statusOf(row), ...present({ failure: row.details.failure?.message }) }
}

function statusOf({ details, file_id }: BankPaymentRow): Reversal['status'] {
  if (details.failure) return 'FAILED'
  return file_id === null ? 'WAITING' : 'SENT'
}
