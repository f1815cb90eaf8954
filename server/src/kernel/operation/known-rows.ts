import type { Write } from '../../storage/commit/writes.ts'
import type { RowByKey } from '../../storage/read/lookup.ts'
import type { Tables } from '../../storage/rows/tables.ts'

/** Tables whose rows change by writes of operations alone, not by triggers or due work beside them. */
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
/** Due work that begins at once needs a few rows; an operation over thousands keeps no more. */
const ROWS_MAX = 100

/**
 * The rows that an operation has read. Due work that this process runs right after the commit takes them from here, as the
 * writes have left them, instead of reading them again. As with every read, the guards of its writes check them.
 */
export class KnownRows {
  #given: Rows
  readonly #read = new Map<string, object | null>()

  constructor(given: Rows = NONE) {
    this.#given = given
  }

  /** The row that a lookup by id would find: null if the table has no row with it, undefined if it has to be read. */
  find<Row>({ table, isWhole }: RowByKey<Row>, id: string): Row | null | undefined {
    if (this.#given.size === 0 || table === undefined || isWhole === undefined) return undefined
    const name = nameOf(table, id)
    const row = this.#given.get(name)
    if (row === undefined || (row !== null && !isWhole(row))) return undefined
    this.#keep(name, row)
    return row
  }

  /** Adds a row that was read, or is part of the write set. */
  add(table: keyof Tables, id: string, row: object): void {
    if (IS_CARRIED.has(table)) this.#keep(nameOf(table, id), row)
  }

  /** Says that the table has no row with this id. */
  addAbsent(table: CarriedTable, id: string): void {
    this.#keep(nameOf(table, id), null)
  }

  #keep(name: string, row: object | null): void {
    if (this.#read.size < ROWS_MAX || this.#read.has(name)) this.#read.set(name, row)
  }

  /** For an operation that is decided again: what was read before may be out of date. */
  forget(): void {
    this.#given = NONE
    this.#read.clear()
  }

  /** The rows as they are once these writes are committed. */
  after(writes: readonly Write[]): Rows {
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
