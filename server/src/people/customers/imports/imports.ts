import type { SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import { type customer_import_get, IMPORT_ERRORS_MAX } from '@countersign/contract/customers/customer-imports'
import { IMPORT_INITIAL, IMPORT_TRANSITIONS } from '@countersign/contract/states/customer-states'
import { removeFile } from '../../../kernel/files/stored-files.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { ApiError } from '../../../kernel/operation/operation.ts'
import { transition } from '../../../kernel/operation/transition.ts'
import type { UploadedFile } from '../../../kernel/operation/uploaded-file.ts'
import { event } from '../../../kernel/outbox/events.ts'
import { job } from '../../../kernel/outbox/jobs.ts'
import { insert, type Write } from '../../../storage/commit/writes.ts'
import type { CustomerImportErrorRow, CustomerImportRow } from '../../../storage/rows/import.ts'
import { selectImport, selectImportErrors } from './store.ts'

type ImportView = SuccessOf<typeof customer_import_get>['body']

/** A row that created no customer. */
export interface RefusedRow {
  readonly row: number
  readonly correlationId: string
  readonly code: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

/** The result of a batch of rows. */
export interface Progress {
  readonly successful: number
  readonly refused: readonly RefusedRow[]
  readonly nextByte: number
  readonly isLast: boolean
}

export function makeImport(op: Op, file: UploadedFile): CustomerImportRow {
  return {
    id: op.newId('CustomerImport'),
    platform_id: op.platform.id,
    state: IMPORT_INITIAL,
    file_id: file.id,
    columns: null,
    next_byte: 0n,
    total: 0,
    successful: 0,
    failed: 0,
    completed_at: null,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** Schedules the next run, which checks the file or creates the customers of its next rows. */
export function scheduleImportRun(op: Op, { id }: Pick<CustomerImportRow, 'id'>): Write {
  return job(op, 'customers.import', { importId: id }, op.now)
}

/** Finds an import. Throws 404 `BULK_UPLOAD_JOB_NOT_FOUND`. */
export async function findImport(op: Op, id: string): Promise<CustomerImportRow> {
  const row = await selectImport(op, id)
  if (!row) throw new ApiError('BULK_UPLOAD_JOB_NOT_FOUND', { details: { field: 'jobId' } })
  return row
}

/** Builds the writes that start an import after its file was checked. */
export function startImport(
  op: Op,
  row: CustomerImportRow,
  change: Required<Pick<CustomerImportRow, 'columns' | 'total' | 'next_byte'>>,
): Write[] {
  return [
    transition(op, 'customer_imports', IMPORT_TRANSITIONS, row, 'begin', change).write,
    scheduleImportRun(op, row),
  ]
}

/**
 * Builds the writes that advance an import's checkpoint, together with the customers of the rows before it.
 * Guard: the checkpoint is unchanged, so only one of two concurrent runs takes effect.
 */
export async function advanceImport(op: Op, row: CustomerImportRow, progress: Progress): Promise<Write[]> {
  const { successful, refused, nextByte, isLast } = progress
  const change = {
    successful: row.successful + successful,
    failed: row.failed + refused.length,
    next_byte: BigInt(nextByte),
    ...(isLast ? { completed_at: op.now } : {}),
  }
  const guard = { next_byte: row.next_byte }
  const by = isLast ? 'complete' : []
  const after = transition(op, 'customer_imports', IMPORT_TRANSITIONS, row, by, change, guard)
  const storedErrors = refused.slice(0, Math.max(0, IMPORT_ERRORS_MAX - row.failed))
  return [
    after.write,
    ...storedErrors.map((refusal) => insert('customer_import_errors', toErrorRow(op, row, refusal))),
    ...(isLast
      ? [
          ...(await removeFile(op, row.file_id)),
          event(op, 'BULK_UPLOAD.COMPLETED', row.id, toImportView(after.row)),
        ]
      : [scheduleImportRun(op, row)]),
  ]
}

/**
 * Builds the writes that end an import because its file cannot be read. Customers created from earlier rows
 * remain.
 */
export async function failImport(op: Op, row: CustomerImportRow, reason: RefusedRow): Promise<Write[]> {
  const change = { completed_at: op.now }
  const guard = { next_byte: row.next_byte }
  const after = transition(op, 'customer_imports', IMPORT_TRANSITIONS, row, 'fail', change, guard)
  return [
    after.write,
    insert('customer_import_errors', toErrorRow(op, row, reason)),
    ...(await removeFile(op, row.file_id)),
    event(op, 'BULK_UPLOAD.FAILED', row.id, toImportView(after.row)),
  ]
}

function toErrorRow(op: Op, { id }: CustomerImportRow, refused: RefusedRow): CustomerImportErrorRow {
  const { row, correlationId, code, message, details } = refused
  return {
    id: op.newId('CustomerImport'),
    platform_id: op.platform.id,
    import_id: id,
    row_number: row,
    correlation_id: correlationId,
    code,
    message,
    details: { row, ...details },
    created_at: op.now,
  }
}

/** An import as the API shows it, with its row errors. */
export async function readImportWithErrors(op: Op, row: CustomerImportRow): Promise<ImportView> {
  const errors = await selectImportErrors(op, row.id)
  const view = toImportView(row)
  return errors.length === 0 ? view : { ...view, errors: errors.map(toErrorView) }
}

function toImportView(row: CustomerImportRow): ImportView {
  const { id, state, total, successful, failed, completed_at } = row
  return present({
    id,
    status: state,
    progress: { total, processed: successful + failed, successful, failed },
    completedAt: completed_at?.toISOString(),
  })
}

function toErrorView({ correlation_id, code, message, details }: CustomerImportErrorRow) {
  return { correlationId: correlation_id, code, message, details }
}
