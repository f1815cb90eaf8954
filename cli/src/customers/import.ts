import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { progress } from '@clack/prompts'
import { guardFormulas } from '@countersign/contract/core/csv-guard'
import type { CustomerImport } from '@countersign/sdk'
import { stringify } from 'csv-stringify/sync'
import { printResult, type Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { openFile } from '../terminal/open-file.ts'

/** Maximum number of printed errors. The server stores more. */
const ERRORS_PRINTED_MAX = 20

type RowError = NonNullable<CustomerImport['errors']>[number]

/** `countersign customers import`. Throws Failure if the file could not be read or a row was rejected. */
export async function importCustomers(shell: Shell, path: string, errorsPath?: string): Promise<void> {
  const { countersign } = shell
  const file = await openFile(path)
  const { body } = await countersign.call('customer_import_create', {
    body: { file, fileName: basename(path) },
  })
  const finished = await showProgress(shell, path, (onProgress) =>
    countersign.waitForImport(body.jobId, { timeoutMs: Number.POSITIVE_INFINITY, onProgress }),
  )
  const errors = finished.errors ?? []
  if (errorsPath !== undefined) await writeFile(errorsPath, formatErrorsCsv(errors))
  printResult(shell, finished, describe(finished, errorsPath))
  const { total, failed } = finished.progress
  if (finished.status === 'FAILED') throw new Failure('The file could not be read.')
  if (failed > 0) throw new Failure(`${failed} of ${total} rows did not create a customer.`)
}

/** Shows a progress bar on a terminal. */
async function showProgress(
  { isJson }: Shell,
  path: string,
  work: (onProgress: (now: CustomerImport['progress']) => void) => Promise<CustomerImport>,
): Promise<CustomerImport> {
  if (isJson || !io().stdout.isTTY) return work(() => {})
  const size = 100
  const bar = progress({ max: size })
  let shownPercent = 0
  bar.start(basename(path))
  try {
    const result = await work(({ processed, total }) => {
      const percent = total > 0 ? Math.floor((processed / total) * size) : 0
      bar.advance(percent - shownPercent, total > 0 ? `${processed} of ${total} rows` : 'reading the file')
      shownPercent = percent
    })
    bar.stop(basename(path))
    return result
  } catch (error) {
    bar.error('The import did not finish.')
    throw error
  }
}

function describe({ id, status, progress, errors = [] }: CustomerImport, errorsPath?: string): string[] {
  const { total, successful, failed } = progress
  const printedErrors = errors.slice(0, ERRORS_PRINTED_MAX)
  const omittedCount = Math.max(failed, errors.length) - printedErrors.length
  return [
    `${id}  ${status}`,
    `  ${total} rows: ${successful} imported, ${failed} rejected`,
    ...printedErrors.map((error) => `  ${formatRow(error)}  ${error.code}: ${error.message}`),
    ...(omittedCount > 0
      ? [`  and ${omittedCount} more${errorsPath === undefined ? '; see --errors' : ` in ${errorsPath}`}`]
      : []),
  ]
}

function formatRow({ correlationId, details }: RowError): string {
  const row = details?.row
  return typeof row === 'number' && correlationId !== `row_${row}`
    ? `row ${row} (${correlationId})`
    : correlationId.replace('_', ' ')
}

/** Formats the errors as CSV. A quote is put before cells that a spreadsheet would execute as formulas. */
function formatErrorsCsv(errors: readonly RowError[]): string {
  const rows = errors.map(({ correlationId, code, message, details }) => ({
    row: details?.row,
    correlationId,
    code,
    field: details?.field,
    message,
  }))
  return stringify(rows, {
    header: true,
    columns: ['row', 'correlationId', 'code', 'field', 'message'],
    cast: { string: guardFormulas },
  })
}
