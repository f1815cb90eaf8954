import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import type { PaymentEvidence } from '../../money/evidence/evidence.ts'
import { applyOrHold } from '../../money/rail-events/apply-or-hold.ts'
import { decide, opOf } from '../../money/rails/rail-worker.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import { type BankFileRow, type BankPaymentRow, isOfKind } from '../../storage/rows/bank-file.ts'
import { BANK_FILE_TRANSITIONS } from '../../storage/rows/states.ts'
import { daysUntilDelivered } from './bacs-payments.ts'
import { dayOfBankTime, formatBankTime, settlesAt } from './cut-off-times.ts'
import { isoFailure } from './failure-reasons.ts'
import { contentOf, offsetsOf } from './file-content.ts'
import { selectOpenFiles, selectSettling } from './file-store.ts'
import { OFFSET_TOTAL_MAX } from './formats/ach-writer.ts'
import { BACS_AMOUNT_MAX } from './formats/bacs-writer.ts'
import { workerIdOf } from './ids.ts'
import { executedOn, isSameDayAmount, isSameDayFile, PAYMENTS_MAX, putIntoFile } from './open-file.ts'
import { endPrenote, provenUntil } from './prenotes.ts'
import { achBatchOf, debitSequenceOf, isMicroFile, isReversalFile } from './queue.ts'
import { selectWaiting } from './queue-store.ts'
import type { BankFilesRail, BankFileWorker } from './rail.ts'
import { checkBeforeLeaving, failReversal, type Leaving } from './reversals.ts'
import { selectOpenPulls, selectPaymentsOfFile, selectQueued } from './store.ts'
import { settleWaitingSums } from './waiting-sums.ts'
import { removeParts, takeWritingStep, type WritingPlace } from './writing.ts'

const PAGE = 200
const AT_ONCE = 25
const ACH_TOTAL_MAX = 999_999_999_999n
const SETTLED_AFTER_DAYS = 3
/** A bank may return a pull until the second banking day after its date (R01 and other reasons). */
const PULLED_AFTER_DAYS_MIN = 2
/** The CORE rules let the debtor's bank return a collection for five banking days. */
const COLLECTED_AFTER_DAYS = 5
const ATTEMPT_BYTES = 6

/** Continues every file of the rail, in numeric order, from its current state. */
export async function finishFiles(worker: BankFileWorker): Promise<void> {
  const { name, entry } = worker.rail
  for (;;) {
    const op = await opOf(worker)
    const [file] = await selectOpenFiles(op, name, entry.acknowledgements !== undefined)
    if (!file) return
    if (file.state === 'COLLECTING') await collect(worker, file)
    else if (file.state === 'WRITING' || file.state === 'READY') await write(worker, op, file)
    else if (file.state === 'REJECTED') await failAll(worker, file)
    else if (file.state === 'DROPPED') await forget(worker, file)
    else await acceptAll(worker, file)
  }
}

/**
 * Adds payments to a file, page by page, until it is full or none are left. After that, its content is fixed.
 */
async function collect(worker: BankFileWorker, from: BankFileRow): Promise<void> {
  let file = from
  for (let isOpen = true; isOpen; ) {
    const op = await opOf(worker)
    const batch = file.format.type === 'ACH' ? undefined : file.batches[0]
    const provenOn = provenUntil(worker.rail.entry, op.now)
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
      batches: [...new Set([...file.batches, ...taken.map((one) => one.batch)])].sort(),
      updated_at: op.now,
    }
    const guard = { state: file.state, payments: file.payments }
    const writes: Write[] = [
      ...taken.map((one, index) => putIntoFile(one, file, file.payments + index + 1)),
      isOpen
        ? update('bank_files', file.id, guard, next)
        : transition(op, 'bank_files', BANK_FILE_TRANSITIONS, file, 'close', next, {
            payments: file.payments,
          }).write,
      ...(isOpen ? [] : [usedTraces(op, { ...file, ...next })]),
    ]
    if (!(await worker.app.commit(op, writes)).done) return
    file = { ...file, ...next }
  }
}

/** Records the last trace number of a file whose payments are fixed, before the next file can be opened. */
function usedTraces(op: Op, file: BankFileRow): Write {
  const traces = file.traces_before + BigInt(file.payments + offsetsOf(file))
  return update('bank_file_workers', workerIdOf(file.rail), {}, { traces, updated_at: op.now })
}

/**
 * Picks the payments of the page that still fit into the file, apart from its first one. A payment that fits
 * into no shared file gets its own.
 */
function pickFitting(
  { rail }: BankFileWorker,
  file: BankFileRow,
  page: readonly BankPaymentRow[],
): readonly BankPaymentRow[] {
  const { filePaymentsMax = PAYMENTS_MAX } = rail.entry
  const amountMax = amountMaxOf(rail.entry)
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
 * The maximum total of a file. The offset of a balanced batch or a contra record is a single entry, which
 * cannot be larger.
 */
function amountMaxOf({ format, fileAmountMax = ACH_TOTAL_MAX }: BankFileWorker['rail']['entry']): bigint {
  const isBalanced = format.type === 'ACH' && format.isBalanced
  const entryMax = format.type === 'BACS' ? BACS_AMOUNT_MAX : isBalanced ? OFFSET_TOTAL_MAX : fileAmountMax
  return fileAmountMax > entryMax ? entryMax : fileAmountMax
}

/** Carries out one step of writing a file, and records it. */
async function write({ app, rail }: BankFileWorker, op: Op, file: BankFileRow): Promise<void> {
  const checked = await checkBeforeWriting(op, rail.entry, file)
  if ('ended' in checked) {
    const { write: drop } = transition(op, 'bank_files', BANK_FILE_TRANSITIONS, file, 'drop')
    await app.commit(op, [drop, ...checked.ended])
    return
  }
  const attempt = Buffer.from(op.random(ATTEMPT_BYTES)).toString('hex')
  const content = () => (rail.pgp ? rail.pgp.encrypt(contentOf(op, file), op.now) : contentOf(op, file))
  const step = await takeWritingStep(file, attempt, placeOf(rail), content)
  if (!step) return
  const moved = transition(op, 'bank_files', BANK_FILE_TRANSITIONS, file, step.event, { part: step.part })
  await app.commit(op, [moved.write, ...checked.guards])
}

/**
 * Repeats the check of a reversal, because its file may have waited for the bank's server. Once the file is whole,
 * it is sent.
 */
async function checkBeforeWriting(
  op: Op,
  entry: BankFilesRail['entry'],
  file: BankFileRow,
): Promise<Leaving> {
  const [row] = isReversalFile(file) ? await selectPaymentsOfFile(op, file.id, 0, 1) : []
  if (file.state !== 'WRITING' || !row || !isOfKind(row, 'REVERSAL')) return { guards: [] }
  return checkBeforeLeaving(op, entry, row, executedOn(entry, op.now, row))
}

function placeOf({ folder, entry }: BankFileWorker['rail']): WritingPlace {
  return { folder, outbox: entry.place.outbox, marker: entry.markers?.ours }
}

/** Marks the payments of a written file as accepted by the bank. */
async function acceptAll(worker: BankFileWorker, file: BankFileRow): Promise<void> {
  const { rail } = worker
  await removeParts(file, placeOf(rail))
  const { message_name: connectorReference } = file
  await applyToAll(worker, file, {
    id: `accepted ${file.id}`,
    source: 'STATUS_FILE',
    event: 'accept',
    connectorReference,
  })
  const days = daysUntilSettled(rail.entry, file)
  await decide(worker, async (op) => {
    const settles = days === undefined ? null : settlesAt(rail.entry, file.executed_on, days)
    const change = { accepted_at: op.now, settles_at: settles, updated_at: op.now }
    return [update('bank_files', file.id, { accepted_at: null }, change)]
  })
}

/** Fails the payments of a file that the bank has rejected as a whole. */
async function failAll(worker: BankFileWorker, file: BankFileRow): Promise<void> {
  await removeParts(file, placeOf(worker.rail))
  const failure = isoFailure({ code: null, text: file.bank_status })
  await applyToAll(worker, file, { id: `rejected ${file.id}`, source: 'STATUS_FILE', event: 'fail', failure })
  await settleWaitingSums(worker, file.message_name)
  await finish(worker, file)
}

/** Removes what was written of a file that is not sent. */
async function forget(worker: BankFileWorker, file: BankFileRow): Promise<void> {
  await removeParts(file, placeOf(worker.rail))
  await finish(worker, file)
}

function finish(worker: BankFileWorker, { id }: BankFileRow): Promise<void> {
  return decide(worker, async (op) => [
    update('bank_files', id, { accepted_at: null }, { accepted_at: op.now, updated_at: op.now }),
  ])
}

/**
 * The number of banking days until a file's payments count as delivered. Undefined if statements report the
 * delivery.
 */
function daysUntilSettled({ format }: BankFilesRail['entry'], file: BankFileRow): number | undefined {
  const { batches } = file
  if (format.type === 'BACS') return daysUntilDelivered(format, file)
  if (format.type === 'SEPA')
    return debitSequenceOf(batches[0]) && (format.debits?.deliveredAfterDays ?? COLLECTED_AFTER_DAYS)
  if (format.type !== 'ACH' || isReversalFile(file)) return undefined
  const { deliveredAfterDays: days = SETTLED_AFTER_DAYS } = format
  const hasPulls = batches.some((batch) => achBatchOf(batch).direction === 'DEBIT')
  return hasPulls ? Math.max(days, PULLED_AFTER_DAYS_MIN) : days
}

/**
 * Marks payments as delivered once they can no longer be returned: all payments of ACH files and of Bacs
 * credit files, and direct debits that have been booked. The others are checked again on the next banking
 * day.
 */
export async function settleFiles(worker: BankFileWorker): Promise<void> {
  const { entry, name } = worker.rail
  for (const file of await selectSettling(await opOf(worker), name)) {
    const status = { id: `settled ${file.id}`, source: 'CALENDAR', event: 'deliver' } as const
    const isDone = await settle(worker, file, status)
    await decide(worker, async (op) => {
      const today = dayOfBankTime(formatBankTime(entry, op.now))
      const change = isDone ? { settled_at: op.now } : { settles_at: settlesAt(entry, today, 1) }
      return [update('bank_files', file.id, { settled_at: null }, { ...change, updated_at: op.now })]
    })
  }
}

/** Returns false if some direct debits of the file are neither booked nor ended. */
async function settle(worker: BankFileWorker, file: BankFileRow, status: StatusOfAll): Promise<boolean> {
  if (!debitSequenceOf(file.batches[0])) {
    await applyToAll(worker, file, status)
    return true
  }
  for (let isDone = true, after = 0; ; ) {
    const page = await selectOpenPulls(await opOf(worker), file.id, after, PAGE)
    const booked = page.filter(({ isBooked }) => isBooked)
    if (booked.length < page.length) isDone = false
    await applyToEach(worker, booked, status)
    const last = page.at(-1)?.place
    if (page.length < PAGE || last === undefined || last === null) return isDone
    after = last
  }
}

/** A status that applies to all payments of a file, reported by the bank or derived from our calendar. */
type StatusOfAll = Pick<PaymentEvidence, 'id' | 'source' | 'event' | 'failure' | 'connectorReference'>

/** Applies a status to all payments of a file, one by one. Payments that already have it do not change. */
export async function applyToAll(
  worker: BankFileWorker,
  file: BankFileRow,
  said: StatusOfAll,
): Promise<void> {
  for (let after = 0; ; ) {
    const page = await selectPaymentsOfFile(await opOf(worker), file.id, after, PAGE)
    await applyToEach(worker, page, said)
    const last = page.at(-1)?.place
    if (page.length < PAGE || last === undefined || last === null) return
    after = last
  }
}

async function applyToEach(
  worker: BankFileWorker,
  page: readonly BankPaymentRow[],
  said: StatusOfAll,
): Promise<void> {
  for (let at = 0; at < page.length; at += AT_ONCE)
    await Promise.all(
      page.slice(at, at + AT_ONCE).map((one) => decide(worker, (op) => applyToPayment(op, one, said))),
    )
}

async function applyToPayment(op: Op, row: BankPaymentRow, said: StatusOfAll): Promise<readonly Write[]> {
  const id = `${said.id}/${row.place}`
  if (!isOfKind(row, 'PAYMENT')) return applyToEntry(op, row, { ...said, id })
  const { direction, payment_id, rail } = row
  return applyOrHold(op, rail, {
    ...said,
    id,
    kind: 'payment',
    account: null,
    subject: { direction, id: payment_id },
    amount: null,
    currency: null,
    occurredAt: op.now.toISOString(),
  })
}

const CANCELLED = { code: 'QUOTE_EXECUTION_FAILED', message: 'The bank has cancelled it' }

/**
 * Ends an entry that is not a payment, if the bank has rejected or cancelled it. Of an instruction, only its file is
 * recorded.
 */
export async function applyToEntry(
  op: Op,
  { id: rowId }: Pick<BankPaymentRow, 'id'>,
  { id, event, failure }: Pick<StatusOfAll, 'id' | 'event' | 'failure'>,
): Promise<readonly Write[]> {
  const row = await selectQueued(op, rowId)
  const why = failure ?? (event === 'cancel' ? CANCELLED : undefined)
  if (!row || !why) return []
  if (isOfKind(row, 'PRENOTE')) return endPrenote(op, row, why)
  if (!isOfKind(row, 'REVERSAL')) return []
  return failReversal(op, row, why, { id, type: 'payment.reversal-rejected', data: {} })
}
