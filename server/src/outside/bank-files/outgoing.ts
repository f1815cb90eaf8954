import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import type { PaymentEvidence } from '../../money/evidence/evidence.ts'
import { applyOrHold } from '../../money/rail-events/apply-or-hold.ts'
import { createRailOp, decide } from '../../money/rails/rail-worker.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import { type BankFileRow, type BankPaymentRow, isOfKind } from '../../storage/rows/bank-file.ts'
import { BANK_FILE_TRANSITIONS } from '../../storage/rows/states.ts'
import { countDaysUntilDelivered } from './bacs-payments.ts'
import { findSettlementTime, formatBankTime, toBankDay } from './cut-off-times.ts'
import { toIsoFailure } from './failure-reasons.ts'
import { buildContent, countOffsets } from './file-content.ts'
import { selectOpenFiles, selectSettlingFiles } from './file-store.ts'
import { OFFSET_TOTAL_MAX } from './formats/ach-writer.ts'
import { BACS_AMOUNT_MAX } from './formats/bacs-writer.ts'
import { toWorkerId } from './ids.ts'
import { addToFile, findExecutionDay, isSameDayAmount, isSameDayFile, PAYMENTS_MAX } from './open-file.ts'
import { endPrenote, findProvenDate } from './prenotes.ts'
import { isMicroFile, isReversalFile, parseAchBatch, parseDebitSequence } from './queue.ts'
import { selectWaiting } from './queue-store.ts'
import type { BankFilesRail, BankFileWorker } from './rail.ts'
import { checkBeforeSending, type DepartureCheck, failReversal } from './reversals.ts'
import { selectOpenPulls, selectPaymentsOfFile, selectQueued } from './store.ts'
import { settleWaitingSums } from './waiting-sums.ts'
import { removeParts, takeWritingStep, type WritingPlace } from './writing.ts'

const PAGE = 200
const PAYMENTS_IN_PARALLEL = 25
const ACH_TOTAL_MAX = 999_999_999_999n
const SETTLED_AFTER_DAYS = 3
/** A bank may return a pull until the second banking day after its date (R01 and other reasons). */
const PULLED_AFTER_DAYS_MIN = 2
/** The CORE rules allow the debtor's bank to return a collection for five banking days. */
const COLLECTED_AFTER_DAYS = 5
const ATTEMPT_BYTES = 6

/** Continues every unfinished file of the rail, in numeric order, from its current state. */
export async function finishFiles(worker: BankFileWorker): Promise<void> {
  const { name, entry } = worker.rail
  for (;;) {
    const op = await createRailOp(worker)
    const [file] = await selectOpenFiles(op, name, entry.acknowledgements !== undefined)
    if (!file) return
    if (file.state === 'COLLECTING') await collectPayments(worker, file)
    else if (file.state === 'WRITING' || file.state === 'READY') await takeNextStep(worker, op, file)
    else if (file.state === 'REJECTED') await failAll(worker, file)
    else if (file.state === 'DROPPED') await cleanUpDropped(worker, file)
    else await acceptAll(worker, file)
  }
}

/** Adds payments to a file, page by page, until it is full or none are left. Then its content is fixed. */
async function collectPayments(worker: BankFileWorker, opened: BankFileRow): Promise<void> {
  let file = opened
  for (let isOpen = true; isOpen; ) {
    const op = await createRailOp(worker)
    const batch = file.format.type === 'ACH' ? undefined : file.batches[0]
    const provenOn = findProvenDate(worker.rail.entry, op.now)
    const { rail, created_at: until } = file
    // A reversal is alone in its file.
    const waiting = isReversalFile(file)
      ? []
      : await selectWaiting(op, { rail, until, limit: PAGE, batch, provenOn, isMicro: isMicroFile(file) })
    const taken = pickFitting(worker, file, waiting)
    isOpen = taken.length === PAGE
    const next = {
      payments: file.payments + taken.length,
      total: taken.reduce((sum, { amount }) => sum + amount, file.total),
      batches: [...new Set([...file.batches, ...taken.map((payment) => payment.batch)])].sort(),
      updated_at: op.now,
    }
    const guard = { state: file.state, payments: file.payments }
    const writes: Write[] = [
      ...taken.map((payment, index) => addToFile(payment, file, file.payments + index + 1)),
      isOpen
        ? update('bank_files', file.id, guard, next)
        : transition(op, 'bank_files', BANK_FILE_TRANSITIONS, file, 'close', next, {
            payments: file.payments,
          }).write,
      ...(isOpen ? [] : [recordTraces(op, { ...file, ...next })]),
    ]
    if (!(await worker.app.commit(op, writes)).done) return
    file = { ...file, ...next }
  }
}

/** Records the last trace number of a file whose content is fixed, before the next file can be opened. */
function recordTraces(op: Op, file: BankFileRow): Write {
  const traces = file.traces_before + BigInt(file.payments + countOffsets(file))
  return update('bank_file_workers', toWorkerId(file.rail), {}, { traces, updated_at: op.now })
}

/**
 * Picks the payments of a page that still fit into the file. A payment that fits into no shared file gets its
 * own.
 */
function pickFitting(
  { rail }: BankFileWorker,
  file: BankFileRow,
  page: readonly BankPaymentRow[],
): readonly BankPaymentRow[] {
  const { filePaymentsMax = PAYMENTS_MAX } = rail.entry
  const amountMax = findAmountMax(rail.entry)
  const isSameDay = isSameDayFile(rail.entry, file)
  let { payments, total } = file
  const end = page.findIndex(({ amount }) => {
    payments += 1
    total += amount
    if (isSameDay !== undefined && isSameDayAmount(amount) !== isSameDay) return true
    return payments > filePaymentsMax || total > amountMax
  })
  return end < 0 ? page : page.slice(0, end)
}

/**
 * Finds the maximum total of a file. The offset of a balanced batch and a Bacs contra record are single
 * entries, which limit the total.
 */
function findAmountMax({ format, fileAmountMax = ACH_TOTAL_MAX }: BankFileWorker['rail']['entry']): bigint {
  const isBalanced = format.type === 'ACH' && format.isBalanced
  const entryMax = format.type === 'BACS' ? BACS_AMOUNT_MAX : isBalanced ? OFFSET_TOTAL_MAX : fileAmountMax
  return fileAmountMax > entryMax ? entryMax : fileAmountMax
}

/** Takes one step in writing a file, and records it. */
async function takeNextStep({ app, rail }: BankFileWorker, op: Op, file: BankFileRow): Promise<void> {
  const checked = await checkBeforeWriting(op, rail.entry, file)
  if ('ended' in checked) {
    const { write: drop } = transition(op, 'bank_files', BANK_FILE_TRANSITIONS, file, 'drop')
    await app.commit(op, [drop, ...checked.ended])
    return
  }
  const attempt = Buffer.from(op.random(ATTEMPT_BYTES)).toString('hex')
  const content = () => (rail.pgp ? rail.pgp.encrypt(buildContent(op, file), op.now) : buildContent(op, file))
  const step = await takeWritingStep(file, attempt, toWritingPlace(rail), content)
  if (!step) return
  const { write } = transition(op, 'bank_files', BANK_FILE_TRANSITIONS, file, step.event, {
    part: step.part,
  })
  await app.commit(op, [write, ...checked.guards])
}

/**
 * Checks a reversal again, because its file may have waited for the bank's server. Once the file is written
 * completely, it is always sent.
 */
async function checkBeforeWriting(
  op: Op,
  entry: BankFilesRail['entry'],
  file: BankFileRow,
): Promise<DepartureCheck> {
  const [row] = isReversalFile(file) ? await selectPaymentsOfFile(op, file.id, 0, 1) : []
  if (file.state !== 'WRITING' || !row || !isOfKind(row, 'REVERSAL')) return { guards: [] }
  return checkBeforeSending(op, entry, row, findExecutionDay(entry, op.now, row))
}

function toWritingPlace({ folder, entry }: BankFileWorker['rail']): WritingPlace {
  return { folder, outbox: entry.place.outbox, marker: entry.markers?.ours }
}

/** Marks the payments of a written file as accepted by the bank. */
async function acceptAll(worker: BankFileWorker, file: BankFileRow): Promise<void> {
  const { rail } = worker
  await removeParts(file, toWritingPlace(rail))
  const { message_name: connectorReference } = file
  await applyToAll(worker, file, {
    id: `accepted ${file.id}`,
    source: 'STATUS_FILE',
    event: 'accept',
    connectorReference,
  })
  const days = countDaysUntilSettled(rail.entry, file)
  await decide(worker, async (op) => {
    const settlesAt = days === undefined ? null : findSettlementTime(rail.entry, file.executed_on, days)
    const change = { accepted_at: op.now, settles_at: settlesAt, updated_at: op.now }
    return [update('bank_files', file.id, { accepted_at: null }, change)]
  })
}

/** Fails the payments of a file that the bank has rejected. */
async function failAll(worker: BankFileWorker, file: BankFileRow): Promise<void> {
  await removeParts(file, toWritingPlace(worker.rail))
  const failure = toIsoFailure({ code: null, text: file.bank_status })
  await applyToAll(worker, file, { id: `rejected ${file.id}`, source: 'STATUS_FILE', event: 'fail', failure })
  await settleWaitingSums(worker, file.message_name)
  await finishFile(worker, file)
}

/** Removes the temporary files of a dropped file. */
async function cleanUpDropped(worker: BankFileWorker, file: BankFileRow): Promise<void> {
  await removeParts(file, toWritingPlace(worker.rail))
  await finishFile(worker, file)
}

function finishFile(worker: BankFileWorker, { id }: BankFileRow): Promise<void> {
  return decide(worker, async (op) => [
    update('bank_files', id, { accepted_at: null }, { accepted_at: op.now, updated_at: op.now }),
  ])
}

/**
 * The number of banking days until payments count as delivered. Undefined if statements report the delivery.
 */
function countDaysUntilSettled({ format }: BankFilesRail['entry'], file: BankFileRow): number | undefined {
  const { batches } = file
  if (format.type === 'BACS') return countDaysUntilDelivered(format, file)
  if (format.type === 'SEPA')
    return parseDebitSequence(batches[0]) && (format.debits?.deliveredAfterDays ?? COLLECTED_AFTER_DAYS)
  if (format.type !== 'ACH' || isReversalFile(file)) return undefined
  const { deliveredAfterDays: days = SETTLED_AFTER_DAYS } = format
  const hasPulls = batches.some((batch) => parseAchBatch(batch).direction === 'DEBIT')
  return hasPulls ? Math.max(days, PULLED_AFTER_DAYS_MIN) : days
}

/**
 * Marks payments as delivered once they can no longer be returned: all payments of ACH files and Bacs credit
 * files, and booked direct debits. Unbooked direct debits are checked again on the next banking day.
 */
export async function settleFiles(worker: BankFileWorker): Promise<void> {
  const { entry, name } = worker.rail
  for (const file of await selectSettlingFiles(await createRailOp(worker), name)) {
    const status = { id: `settled ${file.id}`, source: 'CALENDAR', event: 'deliver' } as const
    const isDone = await settleFile(worker, file, status)
    await decide(worker, async (op) => {
      const today = toBankDay(formatBankTime(entry, op.now))
      const change = isDone ? { settled_at: op.now } : { settles_at: findSettlementTime(entry, today, 1) }
      return [update('bank_files', file.id, { settled_at: null }, { ...change, updated_at: op.now })]
    })
  }
}

/** Returns false if a direct debit of the file is neither booked nor ended. */
async function settleFile(worker: BankFileWorker, file: BankFileRow, status: FileStatus): Promise<boolean> {
  if (!parseDebitSequence(file.batches[0])) {
    await applyToAll(worker, file, status)
    return true
  }
  for (let isDone = true, after = 0; ; ) {
    const page = await selectOpenPulls(await createRailOp(worker), file.id, after, PAGE)
    const booked = page.filter(({ isBooked }) => isBooked)
    if (booked.length < page.length) isDone = false
    await applyToEach(worker, booked, status)
    const last = page.at(-1)?.place
    if (page.length < PAGE || last === undefined || last === null) return isDone
    after = last
  }
}

/** A status of all payments in a file, reported by the bank or derived from the calendar. */
type FileStatus = Pick<PaymentEvidence, 'id' | 'source' | 'event' | 'failure' | 'connectorReference'>

/** Applies a status to each payment of a file. Payments that already have it do not change. */
export async function applyToAll(
  worker: BankFileWorker,
  file: BankFileRow,
  status: FileStatus,
): Promise<void> {
  for (let after = 0; ; ) {
    const page = await selectPaymentsOfFile(await createRailOp(worker), file.id, after, PAGE)
    await applyToEach(worker, page, status)
    const last = page.at(-1)?.place
    if (page.length < PAGE || last === undefined || last === null) return
    after = last
  }
}

async function applyToEach(
  worker: BankFileWorker,
  page: readonly BankPaymentRow[],
  status: FileStatus,
): Promise<void> {
  for (let at = 0; at < page.length; at += PAYMENTS_IN_PARALLEL)
    await Promise.all(
      page
        .slice(at, at + PAYMENTS_IN_PARALLEL)
        .map((row) => decide(worker, (op) => applyToPayment(op, row, status))),
    )
}

async function applyToPayment(op: Op, row: BankPaymentRow, status: FileStatus): Promise<readonly Write[]> {
  const id = `${status.id}/${row.place}`
  if (!isOfKind(row, 'PAYMENT')) return applyToEntry(op, row, { ...status, id })
  const { direction, payment_id, rail } = row
  return applyOrHold(op, rail, {
    ...status,
    id,
    kind: 'payment',
    account: null,
    subject: { direction, id: payment_id },
    amount: null,
    currency: null,
    occurredAt: op.now.toISOString(),
  })
}

const CANCELED = { code: 'QUOTE_EXECUTION_FAILED', message: 'The bank canceled the payment' }

/**
 * Ends a prenote or a reversal that the bank has rejected or canceled. A mandate instruction has no status
 * apart from its file.
 */
export async function applyToEntry(
  op: Op,
  { id: rowId }: Pick<BankPaymentRow, 'id'>,
  { id, event, failure }: Pick<FileStatus, 'id' | 'event' | 'failure'>,
): Promise<readonly Write[]> {
  const row = await selectQueued(op, rowId)
  const endReason = failure ?? (event === 'cancel' ? CANCELED : undefined)
  if (!row || !endReason) return []
  if (isOfKind(row, 'PRENOTE')) return endPrenote(op, row, endReason)
  if (!isOfKind(row, 'REVERSAL')) return []
  return failReversal(op, row, endReason, { id, type: 'payment.reversal-rejected', data: {} })
}
