import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { present } from '@countersign/contract/core/objects'
import type { CarriedPayment, Reversal, ReversalFault, Reversals } from '../../kernel/ports/reversals.ts'
import { findNextOpening } from '../../money/rails/opening-hours.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'
import { type BankPaymentRow, isOfKind, type ReversalRow } from '../../storage/rows/bank-file.ts'
import { addBankingDays, findLatestEffectiveDate, formatBankTime, toBankDay } from './cut-off-times.ts'
import { selectFilesOfDay } from './file-store.ts'
import { toWorkerId } from './ids.ts'
import { buildReversal, isMicroFile, isReversalFile, toReversalId } from './queue.ts'
import { countWaitingReversals } from './queue-store.ts'
import { selectWithFile, selectWorkerById } from './store.ts'

/** Nacha: the payee's bank must receive a reversal within five banking days after the payment settles. */
const REVERSAL_DAYS_MAX = 5

/** An ACH bank can distinguish 36 files per day. This limit leaves most of them for payments. */
export const REVERSALS_PER_DAY_MAX = 6

/** Builds the reversal operations of an ACH rail. Empty for other formats. */
export function buildReversals(rail: BankFilesRailValue): { readonly reversals?: Reversals } {
  const { format } = rail
  if (format.type !== 'ACH') return {}
  return {
    reversals: {
      request: (...args) => requestReversal({ ...rail, format }, ...args),
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
  // Read before the queue, so that a concurrent request is noticed.
  const worker = await selectWorkerById(read, payment.platform_id, toWorkerId(rail.name))
  const found = await selectWithFile(read, payment.platform_id, payment.id)
  if (!worker || !found?.accepted_at || !isOfKind(found, 'PAYMENT'))
    return { fault: 'NOT_SENT', message: 'The bank has not accepted the file with this payment yet.' }
  if (isMicroFile({ batches: [found.batch] }))
    return { fault: 'NOT_REVERSIBLE', message: 'Deposits that verify an account cannot be reversed.' }
  const { executed_on, accepted_at: _, format, ...row } = found
  const earlier = await listReversals(read, payment)
  const last = earlier.at(-1)
  if (last && last.status !== 'FAILED')
    return {
      fault: 'ALREADY_REQUESTED',
      message: `This payment already has a reversal in state ${last.status}. You can request another only if it fails.`,
    }
  const queuedAt = rail.hours ? findNextOpening(rail.hours, now) : now
  const file = { executed_on, format }
  const fault =
    findReversalFault(rail, file, findLatestEffectiveDate(rail, queuedAt, 0)) ??
    (await findQueueFault(rail, read, payment, { file, queuedAt }))
  if (fault) return fault
  const reversal = buildReversal(row, earlier.length + 1, { requestedAt: now, queuedAt })
  const { id, reversals } = worker
  return {
    writes: [
      insert('bank_payments', reversal),
      update('bank_file_workers', id, { reversals }, { reversals: reversals + 1n }),
    ],
    reversal: toReversalView(reversal, earlier.length + 1),
  }
}

/** Explains why the files of the remaining days cannot carry another reversal. Undefined if they can. */
async function findQueueFault(
  rail: AchRail,
  read: Read,
  { platform_id }: CarriedPayment,
  { file, queuedAt }: { readonly file: PaymentFile; readonly queuedAt: Date },
): Promise<ReversalFault | undefined> {
  const day = toBankDay(formatBankTime(rail, queuedAt))
  const sent = (await selectFilesOfDay(read, platform_id, rail.format, day)).filter(isReversalFile)
  const waiting = await countWaitingReversals(read, platform_id, rail.name)
  const days = Math.floor((sent.length + waiting) / REVERSALS_PER_DAY_MAX)
  const fault = findReversalFault(rail, file, findLatestEffectiveDate(rail, queuedAt, days))
  return (
    fault && {
      fault: 'TOO_MANY',
      message: `${waiting} reversals are waiting, and at most ${REVERSALS_PER_DAY_MAX} can be sent per day. ${fault.message}`,
    }
  )
}

/** The fields that identify the originator and its account to banks. */
const ORIGINATOR_FIELDS = [
  'destination',
  'origin',
  'companyId',
  'companyName',
  'originatingBank',
  'accountNumber',
  'routingNumber',
] as const

/** The file that contains a payment. */
type PaymentFile = Pick<NonNullable<Awaited<ReturnType<typeof selectWithFile>>>, 'executed_on' | 'format'>

/** Explains why an entry with this date cannot reverse a payment in this file. Undefined if it can. */
export function findReversalFault(
  rail: BankFilesRailValue,
  { executed_on, format }: PaymentFile,
  effectiveOn: string,
): ReversalFault | undefined {
  if (rail.format.type !== 'ACH' || format?.type !== 'ACH' || executed_on === null)
    return { fault: 'NOT_REVERSIBLE', message: 'Only payments in ACH files can be reversed.' }
  const { format: current } = rail
  const changed = ORIGINATOR_FIELDS.find((field) => format[field] !== current[field])
  if (changed)
    return {
      fault: 'NOT_REVERSIBLE',
      message: `Only the originator of a payment can reverse it, but format.${changed} has changed (it was ${format[changed]}).`,
    }
  const deadline = addBankingDays(rail, executed_on, REVERSAL_DAYS_MAX)
  if (effectiveOn <= deadline) return undefined
  return {
    fault: 'TOO_LATE',
    message: `The payee's bank must receive a reversal by ${deadline}, but the next file is dated ${effectiveOn}.`,
  }
}

/** The reason why a reversal ended without effect. */
export interface EndReason {
  readonly code: string
  readonly message: string
}

/** The write that ends a reversal without effect. Guard: it is still in the same file, and not erased. */
export function endReversal(
  { now }: { readonly now: Date },
  { id, file_id, details }: ReversalRow,
  { code, message }: EndReason,
): readonly Write[] {
  if (details.failure) return []
  const failure = { code, message, at: now.toISOString() }
  return [update('bank_payments', id, { file_id, details }, { details: { ...details, failure } })]
}

export const WITHDRAWN: EndReason = {
  code: 'WITHDRAWN',
  message: 'An operator resolved the payment before the reversal was sent',
}

async function withdrawReversal(read: Read, payment: CarriedPayment, now: Date): Promise<readonly Write[]> {
  const last = (await selectReversals(read, payment)).at(-1)
  return last && toStatus(last) === 'WAITING' ? endReversal({ now }, last, WITHDRAWN) : []
}

async function listReversals(read: Read, payment: CarriedPayment): Promise<readonly Reversal[]> {
  return (await selectReversals(read, payment)).map((row, index) => toReversalView(row, index + 1))
}

async function selectReversals(
  read: Read,
  { id, platform_id }: CarriedPayment,
): Promise<readonly ReversalRow[]> {
  const found: ReversalRow[] = []
  for (;;) {
    const row = await selectWithFile(read, platform_id, toReversalId(id, found.length + 1))
    if (!row || !isOfKind(row, 'REVERSAL')) return found
    found.push(row)
  }
}

function toReversalView(row: BankPaymentRow, number: number): Reversal {
  return { number, status: toStatus(row), ...present({ failure: row.details.failure?.message }) }
}

function toStatus({ details, file_id }: BankPaymentRow): Reversal['status'] {
  if (details.failure) return 'FAILED'
  return file_id === null ? 'WAITING' : 'SENT'
}
