import { UNREADABLE } from '@countersign/contract/core/schema'
import {
  IMPORT_COLUMNS,
  LIST_SEPARATOR,
  REQUIRED_COLUMNS,
} from '@countersign/contract/customers/import-columns'
import { findNearest } from '../../../base/formats/did-you-mean.ts'
import { quoteName } from '../../../base/formats/quoted.ts'
import { requireValue } from '../../../base/formats/require-value.ts'
import { setValueAt } from '../../../base/json/paths.ts'
import { createFieldError } from '../../../kernel/operation/operation.ts'
import { CsvFault } from './csv.ts'

/** Converts the rows of a file to request bodies. */

const HEADER_ROW = 1
const ID_COLUMN = 'platformCustomerId'
const ID_CHARACTERS_MAX = 255
/** Names in messages are cut to this length. */
const SHOWN_CHARACTERS_MAX = 64

/** A column of the file: the request field that its cells fill. */
export interface FileColumn {
  readonly path: readonly string[]
  readonly isList: boolean
  readonly isInteger?: boolean
}

/** The columns that a file may have, by name, and the ones that it must have. */
export interface FileColumns {
  readonly known: ReadonlyMap<string, FileColumn>
  readonly required: readonly string[]
}

const CUSTOMERS: FileColumns = { known: IMPORT_COLUMNS, required: REQUIRED_COLUMNS }

/** Reads the columns of a header. Throws CsvFault if a column is unknown, duplicated or missing. */
export function parseHeader(
  header: readonly string[],
  { known, required }: FileColumns = CUSTOMERS,
): string[] {
  const seen = new Set<string>()
  for (const name of header) {
    if (!known.has(name)) throw new CsvFault(HEADER_ROW, describeUnknownColumn(name, known))
    if (seen.has(name)) throw new CsvFault(HEADER_ROW, `The header has the column ${name} twice.`)
    seen.add(name)
  }
  for (const name of required)
    if (!seen.has(name)) throw new CsvFault(HEADER_ROW, `The header has no column ${name}.`)
  return [...header]
}

function describeUnknownColumn(name: string, known: FileColumns['known']): string {
  const suggestion = findNearest(name, [...known.keys()])
  const shown = quoteName(name.slice(0, SHOWN_CHARACTERS_MAX).toWellFormed())
  if (!suggestion && /[;\t]/.test(name))
    return `The column ${shown} is not known: columns are separated by commas.`
  return `The column ${shown} is not known${suggestion ? `; did you mean ${suggestion}?` : '.'}`
}

/**
 * Converts a row to a `POST /customers` body; an empty cell omits its field. Throws 400 `INVALID_INPUT` if
 * the number of cells is wrong or `platformCustomerId` is missing: without it, importing a file twice would
 * create its customers twice.
 */
export function toCustomerBody(
  columns: readonly string[],
  cells: readonly string[],
): Record<string, unknown> {
  const body = toRequestFields(columns, cells, IMPORT_COLUMNS)
  if (body[ID_COLUMN] === undefined)
    throw createFieldError('INVALID_INPUT', ID_COLUMN, `${ID_COLUMN} is required in a file`)
  return body
}

/** Converts a row to request fields. Throws 400 `INVALID_INPUT` if the number of cells is wrong. */
export function toRequestFields(
  columns: readonly string[],
  cells: readonly string[],
  known: FileColumns['known'],
): Record<string, unknown> {
  if (cells.length !== columns.length)
    throw createFieldError(
      'INVALID_INPUT',
      'row',
      `The row has ${describeCellCount(cells.length)}, but the header has ${describeCellCount(columns.length)}.`,
    )
  const body: Record<string, unknown> = {}
  for (const [index, name] of columns.entries()) {
    const cell = cells[index]
    const column = requireValue(known.get(name), 'column that the header was checked for')
    if (cell) setValueAt(body, column.path, parseCell(column, cell))
  }
  return body
}

/** 64-bit integers have at most 19 digits. */
const INTEGER = /^-?\d{1,19}$/

/** Text that is not an integer stays a string, which request validation rejects. */
function parseCell({ isList, isInteger }: FileColumn, cell: string): unknown {
  if (isList) return cell.split(LIST_SEPARATOR)
  return isInteger && INTEGER.test(cell) ? BigInt(cell) : cell
}

/** Identifies a row in an error: the platform's own id if usable, otherwise the row number. */
export function toCorrelationId(columns: readonly string[], cells: readonly string[], row: number): string {
  const id = cells[columns.indexOf(ID_COLUMN)] ?? ''
  const isShown = id !== '' && id.length <= ID_CHARACTERS_MAX && !UNREADABLE.test(id)
  return isShown ? id : formatRowName(row)
}

/** Formats a row number, such as `row_17`. The header is `row_1`. */
export function formatRowName(row: number): string {
  return `row_${row}`
}

function describeCellCount(cells: number): string {
  return `${cells} cell${cells === 1 ? '' : 's'}`
}
