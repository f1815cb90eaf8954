import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import type { PaymentEvidence } from '../../money/evidence/evidence.ts'
import { applyOrHold } from '../../money/rail-events/apply-or-hold.ts'
import { decide, opOf } from '../../money/rails/rail-worker.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { BankFileRow, BankFileWorkerRow, BankPaymentRow } from '../../storage/rows/bank-file.ts'
import { BANK_FILE_INITIAL, BANK_FILE_TRANSITIONS } from '../../storage/rows/states.ts'
import { collectionDate, effectiveDate, executionDate, formatBankTime, settlesAt } from './cut-off-times.ts'
import { contentOf, endingOf } from './file-content.ts'
import { freeModifier, MARK_BYTES, namesOfFile } from './file-names.ts'
import { workerIdOf } from './ids.ts'
import { achBatchOf, debitSequenceOf } from './queue.ts'
import type { BankFilesRail, BankFileWorker } from './rail.ts'
import {
  selectModifiers,
  selectOpenFiles,
  selectOpenPulls,
  selectPaymentsOfFile,
  selectSettling,
  selectWaiting,
} from './store.ts'
import { removeParts, takeWritingStep } from './writing.ts'

const PAGE = 200
const AT_ONCE = 25
const PAYMENTS_MAX = 10_000
const TRACES_MAX = 9_999_999n
const ACH_TOTAL_MAX = 999_999_999_999n
const SETTLED_AFTER_DAYS = 3
/** A bank may return a pull until the second banking day after its date (R01 and others). */
const PULLED_AFTER_DAYS_MIN = 2
/** By the rules of CORE: one day before the collection, and five in which the debtor's bank may return it. */
const LEAD_DAYS = 1
const COLLECTED_AFTER_DAYS = 5
const ATTEMPT_BYTES = 6
const DATE_CHARACTERS = 10

/** Completes every file of the rail, in numeric order, from its current state. */
export async function finishFiles(worker: BankFileWorker): Promise<void> {
  for (;;) {
    const op = await opOf(worker)
    const [file] = await selectOpenFiles(op, worker.rail.name)
    if (!file) return
    if (file.state === 'COLLECTING') await collect(worker, file)
    else if (file.state === 'WRITTEN') await acceptAll(worker, file)
    else await write(worker, op, file)
  }
}

/**
 * Opens the next file if a payment waits since `until` or longer, and returns whether it did. Once an ACH
 * bank has had all distinguishable files of a day, payments wait for the next day.
 */
export async function openFile(
  worker: BankFileWorker,
  workerRow: BankFileWorkerRow,
  until: Date,
): Promise<boolean> {
  const op = await opOf(worker)
  const [first] = await selectWaiting(op, worker.rail.name, until, 1)
  if (!first) return false
  const modifier = await nextModifier(op, worker)
  if (modifier === undefined) return false
  const row = newFile(op, worker, workerRow, first, modifier, until)
  const { done } = await worker.app.commit(op, [
    insert('bank_files', row),
    update(
      'bank_file_workers',
      workerRow.id,
      { files: workerRow.files },
      { files: row.number, updated_at: op.now },
    ),
  ])
  return done
}

/** The modifier of the day's next file: null for formats without one, undefined if all are used. */
async function nextModifier(op: Op, { app, rail }: BankFileWorker): Promise<string | null | undefined> {
  const { name, entry } = rail
  const { format } = entry
  if (format.type !== 'ACH') return null
  const used = await selectModifiers(op, format, formatBankTime(entry, op.now).slice(0, DATE_CHARACTERS))
  const modifier = freeModifier(used)
  if (modifier === undefined)
    app.log.warn({ rail: name }, 'no ACH file id modifiers left today: payments wait for the next day')
  return modifier
}

function newFile(
  op: Op,
  { rail }: BankFileWorker,
  { files, traces }: BankFileWorkerRow,
  first: BankPaymentRow,
  modifier: string | null,
  until: Date,
): BankFileRow {
  const { name, entry } = rail
  const { format, filePaymentsMax = PAYMENTS_MAX } = entry
  const number = files + 1n
  return {
    id: op.newId('BankFile'),
    platform_id: op.platform.id,
    rail: name,
    number,
    ...namesOfFile(name, number, op.random(MARK_BYTES), endingOf(format)),
    modifier,
    state: BANK_FILE_INITIAL,
    batches: [first.batch],
    payments: 0,
    total: 0n,
    traces_before: traces + BigInt(filePaymentsMax) > TRACES_MAX ? 0n : traces,
    format,
    made_on: formatBankTime(entry, op.now),
    executed_on: executedOn(entry, op.now, first.batch),
    part: null,
    accepted_at: null,
    settles_at: null,
    settled_at: null,
    bank_status: null,
    created_at: until,
    updated_at: op.now,
  }
}

/** The date of the payments of a file, by the batch of the first. */
function executedOn(entry: BankFilesRail['entry'], now: Date, batch: string): string {
  const { format } = entry
  if (format.type === 'ACH') return effectiveDate(entry, now)
  if (format.type === 'SEPA' && debitSequenceOf(batch))
    return collectionDate(entry, now, format.debits?.leadDays ?? LEAD_DAYS)
  return executionDate(entry, now, batch === 'INSTANT')
}

/**
 * Adds the next payments to a file, page by page, until it is full or nothing is left; then its content is
 * fixed.
 */
async function collect(worker: BankFileWorker, from: BankFileRow): Promise<void> {
  let file = from
  for (let isOpen = true; isOpen; ) {
    const op = await opOf(worker)
    const batch = file.format.type === 'ACH' ? undefined : file.batches[0]
    const waiting = await selectWaiting(op, file.rail, file.created_at, PAGE, batch)
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
      ...taken.map((one, index) => {
        const place = file.payments + index + 1
        return update(
          'bank_payments',
          one.id,
          { file_id: null },
          { file_id: file.id, place, trace: file.traces_before + BigInt(place) },
        )
      }),
      isOpen
        ? update('bank_files', file.id, guard, next)
        : transition(op, 'bank_files', BANK_FILE_TRANSITIONS, file, 'close', next, {
            payments: file.payments,
          }).write,
    ]
    if (!(await worker.app.commit(op, writes)).done) return
    file = { ...file, ...next }
  }
}

/**
 * Payments of the page that fit into the file. The first one always fits: a larger payment has its own file.
 */
function pickFitting(
  { rail }: BankFileWorker,
  file: BankFileRow,
  page: readonly BankPaymentRow[],
): readonly BankPaymentRow[] {
  const { filePaymentsMax = PAYMENTS_MAX, fileAmountMax = ACH_TOTAL_MAX } = rail.entry
  let { payments, total } = file
  const end = page.findIndex(({ amount }) => {
    payments += 1
    total += amount
    return payments > filePaymentsMax || (total > fileAmountMax && payments > 1)
  })
  return end < 0 ? page : page.slice(0, end)
}

/** One step of the writing, and its record. */
async function write({ app, rail }: BankFileWorker, op: Op, file: BankFileRow): Promise<void> {
  const place = { folder: rail.folder, outbox: rail.entry.place.outbox }
  const attempt = Buffer.from(op.random(ATTEMPT_BYTES)).toString('hex')
  const step = await takeWritingStep(file, attempt, place, () => contentOf(op, file))
  if (!step) return
  const moved = transition(op, 'bank_files', BANK_FILE_TRANSITIONS, file, step.event, { part: step.part })
  await app.commit(op, [moved.write])
}

/** Marks the payments of a written file as accepted by the bank. */
async function acceptAll(worker: BankFileWorker, file: BankFileRow): Promise<void> {
  const { rail } = worker
  await removeParts(file, { folder: rail.folder, outbox: rail.entry.place.outbox })
  const { message_name: connectorReference } = file
  await applyToAll(worker, file, {
    id: `accepted ${file.id}`,
    source: 'STATUS_FILE',
    event: 'accept',
    connectorReference,
  })
  const days = daysUntilSettled(rail.entry, file)
  await decide(worker, async (op) => {
    const traces = file.traces_before + BigInt(file.payments)
    const settles = days === undefined ? null : settlesAt(rail.entry, file.executed_on, days)
    const change = { accepted_at: op.now, settles_at: settles, updated_at: op.now }
    return [
      update('bank_files', file.id, { accepted_at: null }, change),
      update('bank_file_workers', workerIdOf(rail.name), {}, { traces, updated_at: op.now }),
    ]
  })
}

/** The banking days after which payments of a file count as delivered. Undefined if statements tell. */
function daysUntilSettled({ format }: BankFilesRail['entry'], { batches }: BankFileRow): number | undefined {
  if (format.type === 'SEPA')
    return debitSequenceOf(batches[0]) && (format.debits?.deliveredAfterDays ?? COLLECTED_AFTER_DAYS)
  if (format.type !== 'ACH') return undefined
  const { deliveredAfterDays: days = SETTLED_AFTER_DAYS } = format
  const hasPulls = batches.some((batch) => achBatchOf(batch).direction === 'DEBIT')
  return hasPulls ? Math.max(days, PULLED_AFTER_DAYS_MIN) : days
}

/**
 * Marks payments as delivered once their time to be returned has passed: of an ACH file all, of SEPA direct
 * debits the booked ones. The others are looked at again on the next banking day.
 */
export async function settleFiles(worker: BankFileWorker): Promise<void> {
  const { entry, name } = worker.rail
  for (const file of await selectSettling(await opOf(worker), name)) {
    const status = { id: `settled ${file.id}`, source: 'STATUS_FILE', event: 'deliver' } as const
    const isDone = await settle(worker, file, status)
    await decide(worker, async (op) => {
      const today = formatBankTime(entry, op.now).slice(0, DATE_CHARACTERS)
      const change = isDone ? { settled_at: op.now } : { settles_at: settlesAt(entry, today, 1) }
      return [update('bank_files', file.id, { settled_at: null }, { ...change, updated_at: op.now })]
    })
  }
}

/** False if some direct debits of the file are neither booked nor ended. */
async function settle(worker: BankFileWorker, file: BankFileRow, status: StatusOfAll): Promise<boolean> {
  if (file.format.type === 'ACH') {
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

/** A status of all payments of a file, from a bank or our calendar. */
type StatusOfAll = Pick<PaymentEvidence, 'id' | 'source' | 'event' | 'failure' | 'connectorReference'>

/** Applies a status to all payments of a file, one by one. Payments that have it already do not change. */
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

function applyToPayment(op: Op, payment: BankPaymentRow, said: StatusOfAll): Promise<readonly Write[]> {
  const { direction, payment_id, place, rail } = payment
  return applyOrHold(op, rail, {
    ...said,
    id: `${said.id}/${place}`,
    kind: 'payment',
    account: null,
    subject: { direction, id: payment_id },
    amount: null,
    currency: null,
    occurredAt: op.now.toISOString(),
  })
}
