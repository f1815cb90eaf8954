import { guardedText } from '@countersign/contract/core/csv-guard'
import { stringify } from 'csv-stringify/sync'

/** A cell: a text, which anybody may have written; a whole number; a figure that is text already; nothing. */
export type Cell = string | bigint | number | Figure | null | undefined

/** The text of a number, which needs no protection: `-25.00`. */
export interface Figure {
  readonly figure: string
}

/** The columns of a file in their order, each with what it has of a row. */
export type Columns<Name extends string, Row> = Readonly<Record<Name, (row: Row) => Cell>>

/** The header row of a file (RFC 4180). `names` are the columns in the file's order. */
export function csvHeader(names: readonly string[]): string {
  return stringify([[...names]], { record_delimiter: '\r\n' })
}

/** Rows of a file. What a spreadsheet would take for a formula gets an apostrophe before it. */
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
