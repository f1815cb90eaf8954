import type { Write } from '../../storage/commit/writes.ts'
import type { RowByKey } from '../../storage/read/lookup.ts'
import type { Tables } from '../../storage/rows/tables.ts'

/** Tables changed only by writes of operations, not by triggers or jobs. */
const CARRIED_TABLES = [
  'customers',
  'external_accounts',
  'internal_accounts',
  'quotes',
  'rail_payments',
  'transactions',
] as const satisfies readonly (keyof Tables)[]
type CarriedTable = (typeof CARRIED_TABLES)[number]
const IS_CARRIED: ReadonlySet<string> = new Set(CARRIED_TABLES)

/** Rows by table and id. Null means that the table has no row with this id. */
type Rows = ReadonlyMap<string, object | null>

const NONE: Rows = new Map()
/**
 * Jobs that start immediately need only a few rows, so an operation that reads thousands keeps no more than
 * this.
 */
const ROWS_MAX = 100

/**
 * The rows that an operation has read. Jobs that this process runs right after the commit use them, with the
 * writes applied, instead of reading the rows again. As with every read, the guards of their writes detect
 * stale rows.
 */
export class KnownRows {
  #initialRows: Rows
  readonly #read = new Map<string, object | null>()

  constructor(rows: Rows = NONE) {
    this.#initialRows = rows
  }

  /** The result of a lookup by id. Null if the table does not have the row, undefined if it must be read. */
  find<Row>({ table, isComplete }: RowByKey<Row>, id: string): Row | null | undefined {
    if (this.#initialRows.size === 0 || table === undefined || isComplete === undefined) return undefined
    const name = toKey(table, id)
    const row = this.#initialRows.get(name)
    if (row === undefined || (row !== null && !isComplete(row))) return undefined
    this.#store(name, row)
    return row
  }

  /** Adds a row that was read or written. */
  add(table: keyof Tables, id: string, row: object): void {
    if (IS_CARRIED.has(table)) this.#store(toKey(table, id), row)
  }

  /** Records that the table has no row with this id. */
  addAbsent(table: CarriedTable, id: string): void {
    this.#store(toKey(table, id), null)
  }

  #store(name: string, row: object | null): void {
    if (this.#read.size < ROWS_MAX || this.#read.has(name)) this.#read.set(name, row)
  }

  /** Drops all rows before a retry, because they may be stale. */
  forget(): void {
    this.#initialRows = NONE
    this.#read.clear()
  }

  /** The rows as they are after these writes. */
  rowsAfter(writes: readonly Write[]): Rows {
    const rows = new Map(this.#read)
    for (const write of writes) {
      if (write.write === 'insert') {
        const { id } = write.row
        if (IS_CARRIED.has(write.table) && typeof id === 'string' && !rows.get(toKey(write.table, id)))
          rows.set(toKey(write.table, id), write.values)
      } else if (write.write === 'update') {
        const name = toKey(write.table, write.id)
        const row = rows.get(name)
        if (row) rows.set(name, { ...row, ...write.values })
      }
    }
    return rows
  }
}

function toKey(table: string, id: string): string {
  return `${table} ${id}`
}
