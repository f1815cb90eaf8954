import { PAYOUT_COLUMNS, REQUIRED_PAYOUT_COLUMNS } from '@countersign/contract/payments/payout-columns'
import {
  PAYOUT_BATCH_TRANSITIONS,
  PAYOUT_LINE_INITIAL,
  PAYOUT_LINE_TRANSITIONS,
} from '@countersign/contract/states/payout-states'
import { openStoredFile, removeFile } from '../../kernel/files/stored-files.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import { SANDBOX_RAIL } from '../../kernel/ports/rail.ts'
import { CsvFault, type CsvRow, isFileFault, readRows } from '../../people/customers/imports/csv.ts'
import { parseHeader, toRequestFields } from '../../people/customers/imports/rows.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { PayoutBatchRow, PayoutLineRow } from '../../storage/rows/payout.ts'
import { draftPayout, type Fault, findPayee, Payers, toFault } from './judge-line.ts'
import { addToTotals, batchView, type LineBody, newLine, scheduleNextRun } from './payout-batches.ts'
import { selectFirstWithReference, selectNextLines } from './store.ts'

/** Lines per run. One write set contains all their rows. */
const LINES_PER_RUN = 200

const COLUMNS = { known: PAYOUT_COLUMNS, required: REQUIRED_PAYOUT_COLUMNS }

/** Checks a line from a file like a line from a request. Throws 400 `INVALID_INPUT`. */
export type CheckLine = (op: Op, body: unknown) => Promise<LineBody>

/** The next lines of a batch in order, and the new checkpoint. */
interface NextLines {
  readonly lines: readonly { readonly row: PayoutLineRow; readonly fault: Fault | undefined }[]
  readonly next: Partial<Pick<PayoutBatchRow, 'columns' | 'next_byte'>>
  readonly isLast: boolean
}

/** A line before and after its check. */
interface CheckedLine {
  readonly before: PayoutLineRow
  readonly after: PayoutLineRow
}

/**
 * Checks the next lines of a batch and records the result of each. Nothing is paid yet. Guard: the checkpoint
 * is unchanged, so only one of two concurrent runs takes effect.
 */
export async function checkNextLines(
  op: Op,
  batch: PayoutBatchRow,
  checkLine: CheckLine,
): Promise<readonly Write[]> {
  try {
    const nextLines =
      batch.file_id === null
        ? await readStoredLines(op, batch)
        : await readFileLines(op, batch, batch.file_id, checkLine)
    return await recordChecks(op, batch, nextLines)
  } catch (error) {
    if (!isFileFault(error)) throw error
    return failBatch(op, batch, error)
  }
}

async function recordChecks(
  op: Op,
  batch: PayoutBatchRow,
  { lines, next, isLast }: NextLines,
): Promise<readonly Write[]> {
  const payers = new Payers(op)
  const results = await Promise.all(lines.map(({ row, fault }) => fault ?? checkLinePayment(op, payers, row)))
  const firstLines = await findFirstLines(
    op,
    batch,
    lines.map(({ row }) => row),
  )
  const checked = lines.map(({ row }, index) =>
    toCheckedLine(op, row, findDuplicate(row, firstLines) ?? results[index] ?? {}),
  )
  const payable = checked.filter(({ after }) => after.code === null).map(({ after }) => after)
  const checkedCount = batch.checked + checked.length
  const change = {
    ...next,
    lines: Math.max(batch.lines, checkedCount),
    checked: checkedCount,
    faulty: batch.faulty + checked.length - payable.length,
    totals: addToTotals(batch.totals, payable),
  }
  const guard = { checked: batch.checked, next_byte: batch.next_byte }
  const batchEvent = isLast ? 'check' : []
  const after = transition(op, 'payout_batches', PAYOUT_BATCH_TRANSITIONS, batch, batchEvent, change, guard)
  return [
    after.write,
    ...checked.map((line) => writeLine(op, batch, line)),
    ...(isLast ? await finishCheck(op, batch, after.row) : [scheduleNextRun(op, batch)]),
  ]
}

async function finishCheck(
  op: Op,
  { file_id }: PayoutBatchRow,
  after: PayoutBatchRow,
): Promise<readonly Write[]> {
  return [
    ...(file_id === null ? [] : await removeFile(op, file_id)),
    event(op, 'PAYOUT_BATCH.CHECKED', after.id, batchView(after)),
  ]
}

/** Lines from a request are already stored. */
async function readStoredLines(op: Op, batch: PayoutBatchRow): Promise<NextLines> {
  const rows = await selectNextLines(op, batch.id, PAYOUT_LINE_INITIAL, batch.checked + 1, LINES_PER_RUN)
  return {
    lines: rows.map((row) => ({ row, fault: undefined })),
    next: {},
    isLast: batch.checked + rows.length >= batch.lines,
  }
}

/** Reads the next rows of a file. Throws CsvFault if the file cannot be read. */
async function readFileLines(
  op: Op,
  batch: PayoutBatchRow,
  fileId: string,
  checkLine: CheckLine,
): Promise<NextLines> {
  const fromByte = Number(batch.next_byte)
  const bytes = await openStoredFile(op, fileId, fromByte)
  if (!bytes) throw new Error(`The stored file ${fileId} of a batch is missing`)
  let columns = batch.columns
  let nextByte = fromByte
  const rows: CsvRow[] = []
  for await (const row of readRows(bytes, fromByte)) {
    nextByte = row.nextByte
    if (columns) rows.push(row)
    else columns = parseHeader(row.cells, COLUMNS)
    if (rows.length === LINES_PER_RUN) break
  }
  if (!columns) throw new CsvFault(1, 'The file has no header.')
  if (batch.checked + rows.length === 0) throw new CsvFault(2, 'The file has no payouts.')
  const names = columns
  const lines = rows.map(({ cells }, index) =>
    toLine(op, batch, batch.checked + index + 1, names, cells, checkLine),
  )
  return {
    lines: await Promise.all(lines),
    next: { columns, next_byte: BigInt(nextByte) },
    isLast: rows.length < LINES_PER_RUN,
  }
}

async function toLine(
  op: Op,
  batch: PayoutBatchRow,
  line: number,
  columns: readonly string[],
  cells: readonly string[],
  checkLine: CheckLine,
): Promise<NextLines['lines'][number]> {
  try {
    const body = await checkLine(op, toRequestFields(columns, cells, PAYOUT_COLUMNS))
    return { row: newLine(op, batch, line, body), fault: undefined }
  } catch (error) {
    return { row: newLine(op, batch, line, undefined), fault: toFault(error) }
  }
}

/** Checks a line. Returns its fault, or its payee and rail. */
async function checkLinePayment(op: Op, payers: Payers, row: PayoutLineRow): Promise<Partial<PayoutLineRow>> {
  try {
    const { account, isStored } = await findPayee(op, row)
    const { transaction } = await draftPayout(op, payers, row, account)
    return { account_id: isStored ? account.id : null, rail: transaction.details.rail ?? SANDBOX_RAIL }
  } catch (error) {
    return toFault(error)
  }
}

/** For each reference of these lines, the first line of the batch with that reference. */
async function findFirstLines(
  op: Op,
  batch: PayoutBatchRow,
  rows: readonly PayoutLineRow[],
): Promise<ReadonlyMap<string, number>> {
  const references = rows.flatMap(({ reference }) => (reference === null ? [] : [reference]))
  const firstLines = new Map(await selectFirstWithReference(op, batch.id, [...new Set(references)]))
  for (const { reference, line } of rows)
    if (reference !== null) firstLines.set(reference, Math.min(line, firstLines.get(reference) ?? line))
  return firstLines
}

function findDuplicate(
  { reference, line }: PayoutLineRow,
  firstLines: ReadonlyMap<string, number>,
): Fault | undefined {
  const first = reference === null ? undefined : firstLines.get(reference)
  if (first === undefined || first === line) return undefined
  return { code: 'INVALID_INPUT', message: `Line ${first} already has this reference.`, field: 'reference' }
}

function toCheckedLine(op: Op, before: PayoutLineRow, change: Partial<PayoutLineRow>): CheckedLine {
  const lineEvent = change.code === undefined || change.code === null ? 'accept' : 'refuse'
  return {
    before,
    after: transition(op, 'payout_lines', PAYOUT_LINE_TRANSITIONS, before, lineEvent, change).row,
  }
}

function writeLine(op: Op, { file_id }: PayoutBatchRow, { before, after }: CheckedLine): Write {
  if (file_id !== null) return insert('payout_lines', after)
  const { account_id, rail, code, message, field } = after
  const lineEvent = code === null ? 'accept' : 'refuse'
  const change = { account_id, rail, code, message, field }
  return transition(op, 'payout_lines', PAYOUT_LINE_TRANSITIONS, before, lineEvent, change).write
}

/** Fails a batch whose file cannot be read to the end. No line is paid. */
async function failBatch(
  op: Op,
  batch: PayoutBatchRow,
  error: Parameters<typeof isFileFault>[0] & Error,
): Promise<readonly Write[]> {
  // `row` counts from the position at which this run started: the header, or the line after the last checked
  // line.
  const row = error instanceof CsvFault ? error.row : 1
  const line = batch.columns === null ? row - 1 : batch.checked + row
  const message = error instanceof CsvFault ? error.message : 'The stored file was changed or is damaged.'
  const change = { file_error: { code: 'INVALID_INPUT', message, line }, completed_at: op.now }
  const guard = { next_byte: batch.next_byte }
  const after = transition(op, 'payout_batches', PAYOUT_BATCH_TRANSITIONS, batch, 'fail', change, guard)
  return [after.write, ...(await finishCheck(op, batch, after.row))]
}
