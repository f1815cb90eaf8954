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
import { countLeadDays } from './bacs-payments.ts'
import {
  canBeSameDay,
  findCollectionDate,
  findEffectiveDate,
  findExecutionDate,
  formatBankTime,
  toBankDay,
} from './cut-off-times.ts'
import { toExtension } from './file-content.ts'
import { buildFileNames, findFreeModifier, formatFileName, MARK_BYTES } from './file-names.ts'
import { countFilesOfDay, selectFileByName, selectFilesOfDay } from './file-store.ts'
import { BACS_TEXT_CHARACTERS } from './formats/bacs-text.ts'
import { toWorkerId } from './ids.ts'
import { INSTANT_BATCH } from './networks.ts'
import { findProvenDate } from './prenotes.ts'
import { isMicroFile, isReversalFile, parseDebitSequence } from './queue.ts'
import { selectWaiting, selectWaitingReversal } from './queue-store.ts'
import { type BankFileWorker, getAccountNumber } from './rail.ts'
import { REVERSALS_PER_DAY_MAX } from './reversal-requests.ts'
import { checkBeforeSending } from './reversals.ts'
import { selectWorker } from './store.ts'

/** The maximum number of payments per file, unless the rails file sets one. */
export const PAYMENTS_MAX = 10_000
const TRACES_MAX = 9_999_999n
/** One for each possible batch of a balanced file. Prenote batches do not use theirs. */
const OFFSETS_MAX = 16
const MICRO_FILES_PER_DAY_MAX = 6
const PGP_ENDING = '.pgp'
/** The CORE rules require the bank to receive a collection one day before its date. */
const LEAD_DAYS = 1
/** Nacha's maximum for a same-day ACH entry, in cents. */
const SAME_DAY_MAX = 100_000_000n

type Entry = BankFileWorker['rail']['entry']

/**
 * Opens the next file with the payment that has waited longest since `until` or before, otherwise with a
 * deposit that verifies an account, or with a reversal. Returns false if nothing is waiting. A file without a
 * payment cannot exist, even if two workers open one for the same payment.
 */
export async function openFile(worker: BankFileWorker, until: Date): Promise<boolean> {
  let isOpened = false
  await decide(worker, async (op) => {
    const writes = await buildOpening(op, worker, until)
    isOpened = writes.length > 0
    return writes
  })
  return isOpened
}

async function buildOpening(op: Op, worker: BankFileWorker, until: Date): Promise<readonly Write[]> {
  const { name: rail, entry } = worker.rail
  const workerRow = await selectWorker(op, toWorkerId(rail))
  const first = await findNextRow(op, worker, until)
  if (!workerRow || !first) return []
  const modifier = await findNextModifier(op, worker)
  if (modifier === undefined) return []
  const names = await chooseNames(op, worker, workerRow.files + 1n)
  const row = buildFile(op, worker, workerRow, { first, modifier, until, names })
  const guards: Write[] = []
  if (isOfKind(first, 'REVERSAL')) {
    const checked = await checkBeforeSending(op, entry, first, row.executed_on)
    if ('ended' in checked) return checked.ended
    guards.push(...checked.guards)
  }
  return [
    ...guards,
    insert('bank_files', row),
    addToFile(first, row, 1),
    update(
      'bank_file_workers',
      workerRow.id,
      { files: workerRow.files, traces: workerRow.traces },
      { files: row.number, updated_at: op.now },
    ),
  ]
}

/**
 * Deposits that verify accounts and reversals come last, in a few files a day, so that payments keep most
 * files.
 */
async function findNextRow(
  op: Op,
  { rail: { name: rail, entry } }: BankFileWorker,
  until: Date,
): Promise<BankPaymentRow | undefined> {
  const [first] = await selectWaiting(op, { rail, until, limit: 1, provenOn: findProvenDate(entry, op.now) })
  if (first || entry.format.type !== 'ACH') return first
  const todaysFiles = await listFilesOfDay(op, entry, entry.format)
  if (todaysFiles.filter(isMicroFile).length < MICRO_FILES_PER_DAY_MAX) {
    const [deposit] = await selectWaiting(op, { rail, until, limit: 1, isMicro: true })
    if (deposit) return deposit
  }
  if (todaysFiles.filter(isReversalFile).length >= REVERSALS_PER_DAY_MAX) return undefined
  return selectWaitingReversal(op, { rail, until })
}

type AchFormat = Extract<Entry['format'], { type: 'ACH' }>

function listFilesOfDay(op: Op, entry: Entry, format: AchFormat) {
  return selectFilesOfDay(op.read, op.platform.id, format, toBankDay(formatBankTime(entry, op.now)))
}

/** The write that adds a waiting payment to a file. It fails if the payment is already in a file. */
export function addToFile(
  { id }: Pick<BankPaymentRow, 'id'>,
  { id: fileId, traces_before }: Pick<BankFileRow, 'id' | 'traces_before'>,
  place: number,
): Write {
  const trace = traces_before + BigInt(place)
  return update('bank_payments', id, { file_id: null }, { file_id: fileId, place, trace })
}

/**
 * Finds the modifier of the day's next file. Null for formats without modifiers, undefined if all are used.
 */
async function findNextModifier(op: Op, { app, rail }: BankFileWorker): Promise<string | null | undefined> {
  const { name, entry } = rail
  const { format } = entry
  if (format.type !== 'ACH') return null
  const modifier = findFreeModifier(await listFilesOfDay(op, entry, format))
  if (modifier === undefined)
    app.log.warn({ rail: name }, 'no ACH file id modifiers left today, payments wait until tomorrow')
  return modifier
}

/** Chooses the names of the next file. A name in the bank's scheme gets the first free number of the day. */
async function chooseNames(op: Op, { rail: { name: rail, entry } }: BankFileWorker, number: bigint) {
  const ending = toExtension(entry.format) + (entry.pgp ? PGP_ENDING : '')
  // The message name must fit into the contra record.
  const charactersMax = entry.format.type === 'BACS' ? BACS_TEXT_CHARACTERS : undefined
  const names = buildFileNames(rail, number, op.random(MARK_BYTES), ending, charactersMax)
  if (entry.fileNames === undefined) return names
  const day = toBankDay(formatBankTime(entry, op.now))
  const parts = { day, message: names.message_name, account: getAccountNumber(entry.format) }
  for (let sequence = (await countFilesOfDay(op, rail, day)) + 1; ; sequence++) {
    const name = formatFileName(entry.fileNames, { ...parts, sequence })
    if (!(await selectFileByName(op, rail, name))) return { ...names, name }
  }
}

interface NextFile {
  readonly first: BankPaymentRow
  readonly modifier: string | null
  readonly until: Date
  readonly names: Pick<BankFileRow, 'name' | 'message_name'>
}

function buildFile(
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
    executed_on: findExecutionDay(entry, op.now, first),
    part: null,
    accepted_at: null,
    settles_at: null,
    settled_at: null,
    bank_status: null,
    created_at: until,
    updated_at: op.now,
  }
}

/** Finds the execution day of a file created at this time, by its first payment. */
export function findExecutionDay(
  entry: Entry,
  now: Date,
  first: Pick<BankPaymentRow, 'batch' | 'amount'>,
): string {
  const { format } = entry
  if (format.type === 'BACS') return findCollectionDate(entry, now, countLeadDays(format, first.batch))
  if (format.type === 'SEPA' && parseDebitSequence(first.batch))
    return findCollectionDate(entry, now, format.debits?.leadDays ?? LEAD_DAYS)
  if (format.type !== 'ACH') return findExecutionDate(entry, now, first.batch === INSTANT_BATCH)
  const madeOn = formatBankTime(entry, now)
  const isSameDay = isSameDayAmount(first.amount) && canBeSameDay(entry, madeOn)
  return isSameDay ? toBankDay(madeOn) : findEffectiveDate(entry, now)
}

export function isSameDayAmount(amount: bigint): boolean {
  return amount <= SAME_DAY_MAX
}

/**
 * True for a same-day ACH file, false for a file of payments above the same-day limit. Undefined if the
 * amount makes no difference, because it is too late in the day or the bank does not offer same-day ACH.
 */
export function isSameDayFile(
  entry: Entry,
  { made_on, executed_on }: Pick<BankFileRow, 'made_on' | 'executed_on'>,
): boolean | undefined {
  const isSameDay = executed_on === toBankDay(made_on)
  return entry.format.type === 'ACH' && (isSameDay || canBeSameDay(entry, made_on)) ? isSameDay : undefined
}
