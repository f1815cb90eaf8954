import { toJson } from '@countersign/sdk'
import { note } from './errors.ts'
import { io } from './io.ts'
import { recordTable } from './table.ts'

/** A column of a table: its header, and the text of a record. */
export type Column<T> = readonly [header: string, text: (record: T) => string]

/** Records of a list, and a flag for more. */
export interface RecordList<T> {
  readonly data: readonly T[]
  readonly hasMore: boolean
}

/** Prints a result: as JSON, or in lines of words. */
export function print(answer: unknown, isJson: boolean, lines: readonly string[]): void {
  io().stdout.write(isJson ? `${toJson(answer)}\n` : `${lines.join('\n')}\n`)
}

/**
 * Prints records: as JSON, as a table on a terminal, with tabs into a pipe. `none` is the message for an
 * empty list, outside the result.
 */
export function printRecords<T>(
  found: RecordList<T>,
  columns: readonly Column<T>[],
  { isJson, none }: { readonly isJson: boolean; readonly none: string },
): void {
  const { data, hasMore } = found
  if (isJson) {
    io().stdout.write(`${toJson(found)}\n`)
    return
  }
  if (data.length === 0) note(none, isJson)
  else {
    const headers = columns.map(([header]) => header)
    const rows = data.map((record) => columns.map(([, text]) => text(record)))
    io().stdout.write(recordTable(headers, rows, io().stdout.isTTY ?? false))
  }
  if (hasMore) note('There are more: --all, or a larger --limit.', isJson)
}
