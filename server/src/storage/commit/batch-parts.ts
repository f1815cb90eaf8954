import { BASELINE } from '../schema/baseline/baseline.ts'
import type { RecordTable } from './writes.ts'

/** Tables in the order of their references, so that a row is written before another refers to it. */
const INSERT_ORDER = [...BASELINE.matchAll(/CREATE TABLE (\w+)/g)].map(([, table]) => table)

/** A row in a batch's JSON, or a change to one. */
export type Row = Record<string, unknown>

/** Rows of one table with the same columns: one statement writes them. */
export interface Part {
  readonly write: 'insert' | 'update' | 'expect'
  readonly table: RecordTable
  /** The table and the written columns. */
  readonly shape: string
  readonly rows: Row[]
}

/** A part of one row. */
export function partOf(write: Part['write'], table: RecordTable, row: Row, set?: Row): Part {
  return { write, table, shape: set ? `${table} ${Object.keys(set).join()}` : table, rows: [row] }
}

/** Rows for one kind of write, by table and columns. Each part is one statement. */
export class Parts {
  readonly #write: Part['write']
  readonly #parts = new Map<string, Part>()

  constructor(write: Part['write']) {
    this.#write = write
  }

  add(table: RecordTable, row: Row, set?: Row): void {
    const part = partOf(this.#write, table, row, set)
    const found = this.#parts.get(part.shape)
    if (found) found.rows.push(row)
    else this.#parts.set(part.shape, part)
  }

  inOrder(): readonly Part[] {
    return [...this.#parts.values()].sort((one, other) => place(one.table) - place(other.table))
  }
}

/** The place of a table among the inserts of a batch. A table of a later migration comes last. */
export function place(table: string): number {
  const index = INSERT_ORDER.indexOf(table)
  return index < 0 ? INSERT_ORDER.length : index
}
