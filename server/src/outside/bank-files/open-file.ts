import type { Op } from '../../kernel/operation/app.ts'
import { decide } from '../../money/rails/rail-worker.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import {
  type BankFileRow,
  type BankFileWorkerRow,
  type BankPaymentRow,
  isOfKind,
} from '../../storage/rows/bank-file.ts'
import { BANK_FILE_INITIAL } from '../../storage/rows/states.ts'
import { leadDaysOf } from './bacs-payments.ts'
import {
  collectionDate,
  dayOfBankTime,
  effectiveDate,
  executionDate,
  formatBankTime,
  sameDayOf,
} from './cut-off-times.ts'
import { endingOf } from './file-content.ts'
import { freeModifier, MARK_BYTES, nameByScheme, namesOfFile } from './file-names.ts'
import { countFilesOfDay, selectFileByName, selectFilesOfDay } from './file-store.ts'
import { BACS_TEXT_CHARACTERS } from './formats/bacs-text.ts'
import { workerIdOf } from './ids.ts'
import { INSTANT_BATCH } from './networks.ts'
import { provenUntil } from './prenotes.ts'
import { debitSequenceOf, isMicroFile, isReversalFile } from './queue.ts'
import { selectWaiting, selectWaitingReversal } from './queue-store.ts'
import { accountOf, type BankFileWorker } from './rail.ts'
import { REVERSALS_PER_DAY_MAX } from './reversal-requests.ts'
import { checkBeforeLeaving } from './reversals.ts'
import { selectWorker } from './store.ts'

/** The maximum number of payments per file, unless the rails file sets one. */
export const PAYMENTS_MAX = 10_000
const TRACES_MAX = 9_999_999n
/** One for each class and direction in a balanced file. Prenote batches do not use theirs. */
const OFFSETS_MAX = 16
const MICRO_FILES_PER_DAY_MAX = 6
const PGP_ENDING = '.pgp'
/** The CORE rules require that the bank receives a collection one day before its date. */
const LEAD_DAYS = 1
/** Nacha's maximum for a same-day ACH entry, in cents. */
const SAME_DAY_MAX = 100_000_000n

type Entry = BankFileWorker['rail']['entry']

/**
 * Opens the next file with the payment that has waited longest, if one has been waiting since `until` or
 * earlier, otherwise with a deposit that verifies an account, or a reversal. Returns false if none has. A file without a payment cannot exist, even if
 * two workers open one for the same payment.
 */
export async function openFile(worker: BankFileWorker, until: Date): Promise<boolean> {
  let isDone = true
  await decide(worker, async (op) => {
    const writes = await opening(op, worker, until)
    isDone = writes.length === 0
    return writes
  })
  return !isDone
}

async function opening(op: Op, worker: BankFileWorker, until: Date): Promise<readonly Write[]> {
  const { name: rail, entry } = worker.rail
  const workerRow = await selectWorker(op, workerIdOf(rail))
  const first = await nextRow(op, worker, until)
  if (!workerRow || !first) return []
  const modifier = await nextModifier(op, worker)
  if (modifier === undefined) return []
  const names = await namesOf(op, worker, workerRow.files + 1n)
  const row = newFile(op, worker, workerRow, { first, modifier, until, names })
  const guards: Write[] = []
  if (isOfKind(first, 'REVERSAL')) {
    const checked = await checkBeforeLeaving(op, entry, first, row.executed_on)
    if ('ended' in checked) return checked.ended
    guards.push(...checked.guards)
  }
  return [
    ...guards,
    insert('bank_files', row),
    putIntoFile(first, row, 1),
    update(
      'bank_file_workers',
      workerRow.id,
      { files: workerRow.files, traces: workerRow.traces },
      { files: row.number, updated_at: op.now },
    ),
  ]
}

/** Deposits and reversals come last, in a few files a day, because payments need these files too. */
async function nextRow(
  op: Op,
  { rail: { name: rail, entry } }: BankFileWorker,
  until: Date,
): Promise<BankPaymentRow | undefined> {
  const [first] = await selectWaiting(op, { rail, until, limit: 1, provenOn: provenUntil(entry, op.now) })
  if (first || entry.format.type !== 'ACH') return first
  const used = await filesOfDay(op, entry, entry.format)
  if (used.filter(isMicroFile).length < MICRO_FILES_PER_DAY_MAX) {
    const [deposit] = await selectWaiting(op, { rail, until, limit: 1, isMicro: true })
    if (deposit) return deposit
  }
  if (used.filter(isReversalFile).length >= REVERSALS_PER_DAY_MAX) return undefined
  return selectWaitingReversal(op, { rail, until })
}

type AchFormat = Extract<Entry['format'], { type: 'ACH' }>

function filesOfDay(op: Op, entry: Entry, format: AchFormat) {
  return selectFilesOfDay(op.read, op.platform.id, format, dayOfBankTime(formatBankTime(entry, op.now)))
}

/** The write that adds a waiting payment to this file. It fails if the payment is already in a file. */
export function putIntoFile(
  { id }: Pick<BankPaymentRow, 'id'>,
  { id: fileId, traces_before }: Pick<BankFileRow, 'id' | 'traces_before'>,
  place: number,
): Write {
  const trace = traces_before + BigInt(place)
  return update('bank_payments', id, { file_id: null }, { file_id: fileId, place, trace })
}

/** The modifier of the day's next file. Null for formats without modifiers, undefined if all are used. */
async function nextModifier(op: Op, { app, rail }: BankFileWorker): Promise<string | null | undefined> {
  const { name, entry } = rail
  const { format } = entry
  if (format.type !== 'ACH') return null
  const modifier = freeModifier(await filesOfDay(op, entry, format))
  if (modifier === undefined)
    app.log.warn({ rail: name }, 'no ACH file id modifiers left today: payments wait for the next day')
  return modifier
}

/** The names of the next file. A name in the bank's scheme gets the first free number of the day. */
async function namesOf(op: Op, { rail: { name: rail, entry } }: BankFileWorker, number: bigint) {
  const ending = endingOf(entry.format) + (entry.pgp ? PGP_ENDING : '')
  // The name must fit into the contra record.
  const charactersMax = entry.format.type === 'BACS' ? BACS_TEXT_CHARACTERS : undefined
  const names = namesOfFile(rail, number, op.random(MARK_BYTES), ending, charactersMax)
  if (entry.fileNames === undefined) return names
  const day = dayOfBankTime(formatBankTime(entry, op.now))
  const parts = { day, message: names.message_name, account: accountOf(entry.format) }
  for (let sequence = (await countFilesOfDay(op, rail, day)) + 1; ; sequence++) {
    const name = nameByScheme(entry.fileNames, { ...parts, sequence })
    if (!(await selectFileByName(op, rail, name))) return { ...names, name }
  }
}

interface NextFile {
  readonly first: BankPaymentRow
  readonly modifier: string | null
  readonly until: Date
  readonly names: Pick<BankFileRow, 'name' | 'message_name'>
}

function newFile(
  op: Op,
  { rail }: BankFileWorker,
  { files, traces }: BankFileWorkerRow,
  { first, modifier, until, names }: NextFile,
): BankFileRow {
  const { name, entry } = rail
  const { format, filePaymentsMax = PAYMENTS_MAX } = entry
  const number = files + 1n
  const madeOn = formatBankTime(entry, op.now)
  return {
    id: op.newId('BankFile'),
    platform_id: op.platform.id,
    rail: name,
    number,
    ...names,
    modifier,
    state: BANK_FILE_INITIAL,
    batches: [first.batch],
    payments: 1,
    total: first.amount,
    traces_before: traces + BigInt(filePaymentsMax + OFFSETS_MAX) > TRACES_MAX ? 0n : traces,
    format,
    made_on: madeOn,
    executed_on: executedOn(entry, op.now, first),
    part: null,
    accepted_at: null,
    settles_at: null,
    settled_at: null,
    bank_status: null,
    created_at: until,
    updated_at: op.now,
  }
}

/** The date of the payments of a file that is made at this time, taken from the first one. */
export function executedOn(entry: Entry, now: Date, first: Pick<BankPaymentRow, 'batch' | 'amount'>): string {
  const { format } = entry
  if (format.type === 'BACS') return collectionDate(entry, now, leadDaysOf(format, first.batch))
  if (format.type === 'SEPA' && debitSequenceOf(first.batch))
    return collectionDate(entry, now, format.debits?.leadDays ?? LEAD_DAYS)
  if (format.type !== 'ACH') return executionDate(entry, now, first.batch === INSTANT_BATCH)
  const madeOn = formatBankTime(entry, now)
  const isSameDay = isSameDayAmount(first.amount) && sameDayOf(entry, madeOn)
  return isSameDay ? dayOfBankTime(madeOn) : effectiveDate(entry, now)
}

export function isSameDayAmount(amount: bigint): boolean {
  return amount <= SAME_DAY_MAX
}

/**
 * True for a file of same-day ACH, false for a file of payments that exceed its limit. Undefined if the
 * amount makes no difference: it is too late in the day, or the bank does not offer same-day ACH.
 */
export function isSameDayFile(
  entry: Entry,
  { made_on, executed_on }: Pick<BankFileRow, 'made_on' | 'executed_on'>,
): boolean | undefined {
  const isSameDay = executed_on === dayOfBankTime(made_on)
  return entry.format.type === 'ACH' && (isSameDay || sameDayOf(entry, made_on)) ? isSameDay : undefined
}
