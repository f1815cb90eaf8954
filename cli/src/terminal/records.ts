import { toJson } from '@countersign/sdk'
import { printNote } from './errors.ts'
import { io } from './io.ts'
import { formatRecords } from './table.ts'

/** A table column: its header, and a function that formats a record's cell. */
export type Column<T> = readonly [header: string, text: (record: T) => string]

/** The fetched records of a list. `hasMore` is true if there are others. */
export interface RecordList<T> {
  readonly data: readonly T[]
  readonly hasMore: boolean
}

/** Prints a result: as JSON, or as lines of text. */
export function print(result: unknown, isJson: boolean, lines: readonly string[]): void {
  io().stdout.write(isJson ? `${toJson(result)}\n` : `${lines.join('\n')}\n`)
}

/**
 * Prints records: as JSON, as a table on a terminal, or as tab-separated lines into a pipe. `none` is printed
 * to standard error if the list is empty.
 */
export function printRecords<T>(
  list: RecordList<T>,
  columns: readonly Column<T>[],
  { isJson, none }: { readonly isJson: boolean; readonly none: string },
): void {
  const { data, hasMore } = list
  if (isJson) {
    io().stdout.write(`${toJson(list)}\n`)
    return
  }
  if (data.length === 0) printNote(none, isJson)
  else {
    const headers = columns.map(([header]) => header)
    const rows = data.map((record) => columns.map(([, text]) => text(record)))
    io().stdout.write(formatRecords(headers, rows, io().stdout.isTTY ?? false))
  }
  if (hasMore) printNote('There are more records. Use --all or a larger --limit.', isJson)
}
