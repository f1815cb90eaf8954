import { guardedText } from '@countersign/contract/core/csv-guard'
import { stringify } from 'csv-stringify/sync'

/** A cell: a string that anyone may have written, a whole number, a formatted figure, or nothing. */
export type Cell = string | bigint | number | Figure | null | undefined

/** A formatted number, which needs no escaping: `-25.00`. */
export interface Figure {
  readonly figure: string
}

/** The columns of a file in order, each with its value of a row. */
export type Columns<Name extends string, Row> = Readonly<Record<Name, (row: Row) => Cell>>

/** The header row of a file (RFC 4180). `names` are the columns in order. */
export function csvHeader(names: readonly string[]): string {
  return stringify([[...names]], { record_delimiter: '\r\n' })
}

/** Rows of a file. Cells that a spreadsheet would treat as a formula are prefixed with an apostrophe. */
export function csvRows<Name extends string, Row>(
  names: readonly Name[],
  columns: Columns<Name, Row>,
  rows: readonly Row[],
): string {
  const cells = rows.map((row) => names.map((name) => textOf(columns[name](row))))
  return cells.length === 0 ? '' : stringify(cells, { record_delimiter: '\r\n' })
}

function textOf(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'object') return cell.figure
  if (typeof cell !== 'string') return String(cell)
  return guardedText(cell)
}
