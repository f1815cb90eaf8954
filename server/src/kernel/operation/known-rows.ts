import type { Write } from '../../storage/commit/writes.ts'
import type { RowByKey } from '../../storage/read/lookup.ts'
import type { Tables } from '../../storage/rows/tables.ts'

/** Tables that only writes of operations change, not triggers or jobs. */
const CARRIED = [
  'customers',
  'external_accounts',
  'internal_accounts',
  'quotes',
  'rail_payments',
  'transactions',
] as const satisfies readonly (keyof Tables)[]
type CarriedTable = (typeof CARRIED)[number]
const IS_CARRIED: ReadonlySet<string> = new Set(CARRIED)

/** Rows by table and id. Null: the table has no row with this id. */
type Rows = ReadonlyMap<string, object | null>

const NONE: Rows = new Map()
/** Jobs that start immediately need a few rows; an operation on thousands keeps no more. */
const ROWS_MAX = 100

/**
 * The rows that an operation has read. Jobs that this process runs right after the commit take them from
 * here, with the writes applied, instead of reading them again. The guards of their writes check them, as
 * with every read.
 */
export class KnownRows {
  #given: Rows
  readonly #read = new Map<string, object | null>()

  constructor(given: Rows = NONE) {
    this.#given = given
  }

  /** The result of a lookup by id: null if the table has no row with it, undefined if it must be read. */
  find<Row>({ table, isWhole }: RowByKey<Row>, id: string): Row | null | undefined {
    if (this.#given.size === 0 || table === undefined || isWhole === undefined) return undefined
    const name = nameOf(table, id)
    const row = this.#given.get(name)
    if (row === undefined || (row !== null && !isWhole(row))) return undefined
    this.#keep(name, row)
    return row
  }

  /** Adds a row that was read or written. */
  add(table: keyof Tables, id: string, row: object): void {
    if (IS_CARRIED.has(table)) this.#keep(nameOf(table, id), row)
  }

  /** Records that the table has no row with this id. */
  addAbsent(table: CarriedTable, id: string): void {
    this.#keep(nameOf(table, id), null)
  }

  #keep(name: string, row: object | null): void {
    if (this.#read.size < ROWS_MAX || this.#read.has(name)) this.#read.set(name, row)
  }

  /** Drops everything before a retry, because earlier reads may be stale. */
  forget(): void {
    this.#given = NONE
    this.#read.clear()
  }

  /** The rows after these writes. */
  rowsAfter(writes: readonly Write[]): Rows {
    const rows = new Map(this.#read)
    for (const write of writes) {
      if (write.write === 'insert') {
        const { id } = write.row
        if (IS_CARRIED.has(write.table) && typeof id === 'string' && !rows.get(nameOf(write.table, id)))
          rows.set(nameOf(write.table, id), write.values)
      } else if (write.write === 'update') {
        const name = nameOf(write.table, write.id)
        const row = rows.get(name)
        if (row) rows.set(name, { ...row, ...write.values })
      }
    }
    return rows
  }
}

function nameOf(table: string, id: string): string {
  return `${table} ${id}`
}
