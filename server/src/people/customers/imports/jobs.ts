import { setImmediate } from 'node:timers/promises'
import { IMPORT_INITIAL, IMPORT_TRANSITIONS } from '@countersign/contract/states/customer-states'
import { openStoredFile } from '../../../kernel/files/stored-files.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { ApiError } from '../../../kernel/operation/operation.ts'
import type { JobHandler } from '../../../kernel/outbox/job-kinds.ts'
import type { Write } from '../../../storage/commit/writes.ts'
import type { CustomerImportRow } from '../../../storage/rows/import.ts'
import type { CustomerRow } from '../../../storage/rows/tables.ts'
import {
  buildCreationWrites,
  type CreateBody,
  checkIsFree,
  findHolders,
  guardPlatformUnchanged,
  newCustomer,
  type PlatformSnapshot,
  readPlatformSnapshot,
} from '../creation.ts'
import { CsvFault, type CsvRow, isFileFault, readRows } from './csv.ts'
import { advanceImport, failImport, type RefusedRow, startImport } from './imports.ts'
import { formatRowName, parseHeader, toCorrelationId, toCustomerBody } from './rows.ts'
import { selectImport } from './store.ts'

/**
 * Rows per run. Their customers are committed in a single write set, which other operations may wait for.
 */
const ROWS_PER_RUN = 50
const FIRST_ROW = 2
/** The maximum number of errors stored per row. */
const ERRORS_PER_ROW_MAX = 5

/** Checks a body as `POST /customers` does. Throws 400 `INVALID_INPUT`. */
export type CheckBody = (op: Op, body: unknown) => Promise<CreateBody>

/**
 * Creates the customers of a file. The first run checks the whole file, so that an unreadable file creates no
 * customers. Each later run handles a few rows and schedules the next run, so that a long file does not block
 * other jobs.
 */
export function createImportCustomers(checkBody: CheckBody): JobHandler<'customers.import'> {
  return async (op, { importId }) => {
    const row = await selectImport(op, importId)
    if (!row || row.completed_at) return []
    try {
      return row.state === IMPORT_INITIAL
        ? await checkFile(op, row)
        : await createNextCustomers(op, row, checkBody)
    } catch (error) {
      if (!isFileFault(error)) throw error
      return failImport(op, row, toFileRefusal(row, error))
    }
  }
}

/** Reads the whole file to find its columns and count its rows. */
async function checkFile(op: Op, row: CustomerImportRow): Promise<Write[]> {
  let columns: string[] | undefined
  let total = 0
  let nextByte = 0
  for await (const { cells, nextByte: rowEnd } of await openRows(op, row)) {
    if (columns) total += 1
    else {
      columns = parseHeader(cells)
      nextByte = rowEnd
    }
  }
  if (!columns) throw new CsvFault(1, 'The file has no header.')
  return startImport(op, row, { columns, total, next_byte: BigInt(nextByte) })
}

/** Creates the customers in the next rows. */
async function createNextCustomers(op: Op, row: CustomerImportRow, checkBody: CheckBody): Promise<Write[]> {
  const rows = await takeRows(await openRows(op, row), ROWS_PER_RUN)
  const snapshot = await readPlatformSnapshot(op)
  const read = await readBatch(op, snapshot, row, rows, checkBody)
  const { created, refused } = await separateDuplicates(op, read)
  const writes: Write[] = []
  for (const customer of created) {
    writes.push(...buildCreationWrites(op, snapshot, customer))
    // Creating a wallet takes milliseconds; yield so that requests are served in between.
    await setImmediate()
  }
  const progress = {
    successful: created.length,
    refused,
    nextByte: rows.at(-1)?.nextByte ?? Number(row.next_byte),
    isLast: rows.length < ROWS_PER_RUN,
  }
  return [...(await advanceImport(op, row, progress)), guardPlatformUnchanged(snapshot), ...writes]
}

async function openRows(op: Op, { file_id, next_byte }: CustomerImportRow): Promise<AsyncGenerator<CsvRow>> {
  const fromByte = Number(next_byte)
  const bytes = await openStoredFile(op, file_id, fromByte)
  if (!bytes) throw new Error(`The file of a running import is missing: ${file_id}`)
  return readRows(bytes, fromByte)
}

async function takeRows(rows: AsyncGenerator<CsvRow>, count: number): Promise<CsvRow[]> {
  const taken: CsvRow[] = []
  for await (const row of rows) {
    taken.push(row)
    if (taken.length === count) break
  }
  return taken
}

/** A row that was read, with its customer or the error that rejects it. */
type ReadRow = Pick<RefusedRow, 'row' | 'correlationId'> & { readonly outcome: CustomerRow | ApiError }

async function readBatch(
  op: Op,
  snapshot: PlatformSnapshot,
  { columns, successful, failed }: CustomerImportRow,
  rows: readonly CsvRow[],
  checkBody: CheckBody,
): Promise<ReadRow[]> {
  if (!columns) throw new Error('A running import was never checked')
  const first = FIRST_ROW + successful + failed
  const read: ReadRow[] = []
  for (const [index, { cells }] of rows.entries()) {
    const row = first + index
    const describe = async () =>
      newCustomer(op, snapshot, await checkBody(op, toCustomerBody(columns, cells)))
    const outcome = await describe().catch(toRefusal)
    read.push({ row, correlationId: toCorrelationId(columns, cells, row), outcome })
  }
  return read
}

function toRefusal(error: unknown): ApiError {
  // UNAVAILABLE means that the platform was reset. Rethrow it, so that the run is retried.
  if (error instanceof ApiError && error.code !== 'UNAVAILABLE') return error
  throw error
}

/**
 * Separates rows with a free id and UMA address from duplicates. Earlier rows of the batch count as taken.
 */
async function separateDuplicates(
  op: Op,
  read: readonly ReadRow[],
): Promise<{ readonly created: CustomerRow[]; readonly refused: RefusedRow[] }> {
  const described = read.flatMap(({ outcome }) => (outcome instanceof ApiError ? [] : [outcome]))
  const holders = described.length > 0 ? await findHolders(op, described) : []
  const created: CustomerRow[] = []
  const refused: RefusedRow[] = []
  for (const { outcome, ...row } of read) {
    const refusal = outcome instanceof ApiError ? outcome : findConflict(outcome, [...holders, ...created])
    if (refusal) refused.push({ ...row, ...describeRefusal(refusal) })
    else if (!(outcome instanceof ApiError)) created.push(outcome)
  }
  return { created, refused }
}

function findConflict(
  customer: CustomerRow,
  holders: Parameters<typeof checkIsFree>[1],
): ApiError | undefined {
  try {
    checkIsFree(customer, holders)
    return undefined
  } catch (error) {
    return toRefusal(error)
  }
}

function describeRefusal({
  code,
  message,
  details = {},
}: ApiError): Pick<RefusedRow, 'code' | 'message' | 'details'> {
  const { errors } = details
  const errorDetails = Array.isArray(errors) ? { errors: errors.slice(0, ERRORS_PER_ROW_MAX) } : {}
  return { code, message, details: { ...details, ...errorDetails } }
}

function toFileRefusal(row: CustomerImportRow, error: Error): RefusedRow {
  const before =
    row.state === IMPORT_TRANSITIONS.PENDING.begin ? FIRST_ROW - 1 + row.successful + row.failed : 0
  const rowNumber = error instanceof CsvFault ? before + error.row : before + 1
  const message = error instanceof CsvFault ? error.message : 'The stored file was changed or is damaged.'
  return {
    row: rowNumber,
    correlationId: formatRowName(rowNumber),
    code: 'INVALID_INPUT',
    message,
    details: { field: 'file' },
  }
}
