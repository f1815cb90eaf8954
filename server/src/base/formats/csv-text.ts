import { guardFormulas } from '@countersign/contract/core/csv-guard'
import { stringify } from 'csv-stringify/sync'

/** A cell: untrusted text, an integer, a formatted number, or nothing. */
export type Cell = string | bigint | number | Figure | null | undefined

/** A formatted number such as `-25.00`, which needs no escaping. */
export interface Figure {
  readonly figure: string
}

/** The columns of a file in order, with a function that gets the value from a row. */
export type Columns<Name extends string, Row> = Readonly<Record<Name, (row: Row) => Cell>>

/** The header row of a file (RFC 4180), with the names of the columns in order. */
export function formatCsvHeader(names: readonly string[]): string {
  return stringify([[...names]], { record_delimiter: '\r\n' })
}

/** The rows of a file. Cells that a spreadsheet would treat as formulas get an apostrophe as prefix. */
export function formatCsvRows<Name extends string, Row>(
  names: readonly Name[],
  columns: Columns<Name, Row>,
  rows: readonly Row[],
): string {
  const cells = rows.map((row) => names.map((name) => formatCell(columns[name](row))))
  return cells.length === 0 ? '' : stringify(cells, { record_delimiter: '\r\n' })
}

function formatCell(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'object') return cell.figure
  if (typeof cell !== 'string') return String(cell)
  return guardFormulas(cell)
}
