import { BASELINE } from '../schema/baseline/baseline.ts'
import type { RecordTable } from './writes.ts'

/** Tables ordered by their references, so that a row is inserted before rows that refer to it. */
const INSERT_ORDER = [...BASELINE.matchAll(/CREATE TABLE (\w+)/g)].map(([, table]) => table)

/** A row, or a change to one, in the JSON of a batch. */
export type Row = Record<string, unknown>

/** Rows of one table with the same columns, written by one statement. */
export interface Part {
  readonly write: 'insert' | 'update' | 'expect'
  readonly table: RecordTable
  /** The table and the written columns. */
  readonly shape: string
  readonly rows: Row[]
}

/** Creates a part with a single row. */
export function newPart(write: Part['write'], table: RecordTable, row: Row, set?: Row): Part {
  return { write, table, shape: set ? `${table} ${Object.keys(set).join()}` : table, rows: [row] }
}

/** Collects the rows of one kind of write by table and columns. Each part becomes one statement. */
export class Parts {
  readonly #write: Part['write']
  readonly #parts = new Map<string, Part>()

  constructor(write: Part['write']) {
    this.#write = write
  }

  add(table: RecordTable, row: Row, set?: Row): void {
    const part = newPart(this.#write, table, row, set)
    const existing = this.#parts.get(part.shape)
    if (existing) existing.rows.push(row)
    else this.#parts.set(part.shape, part)
  }

  inOrder(): readonly Part[] {
    return [...this.#parts.values()].sort(
      (left, right) => insertPosition(left.table) - insertPosition(right.table),
    )
  }
}

/** The position of a table in the order of inserts. Tables added by later migrations come last. */
export function insertPosition(table: string): number {
  const index = INSERT_ORDER.indexOf(table)
  return index < 0 ? INSERT_ORDER.length : index
}
