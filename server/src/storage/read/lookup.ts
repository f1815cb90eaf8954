import { uuidOf } from '../engine/ids.ts'
import type { Database } from '../engine/port.ts'
import type { Tables } from '../rows/tables.ts'
import { isIdColumn } from '../schema/id-columns.ts'
import { batchReads } from './batched.ts'

/**
 * A statement that finds rows by keys: `$1`… are arrays, one per key column, of uuid if it holds ids, else of
 * text.
 */
export interface RowByKey<Row> {
  readonly sql: string
  /** The key columns of the row. */
  readonly columns: readonly (keyof Row & string)[]
  /** The table of the rows, if they have all of its columns and are found by id. */
  readonly table?: keyof Tables
  /**
   * Set if the statement finds every row of the table. True if a row already has every column that this
   * statement returns.
   */
  readonly isWhole?: (row: object) => row is Row & object
}

/** The row of a key, read after the request. Concurrent requests share the row. */
export type Lookup = <Row extends object>(
  of: RowByKey<Row>,
  ...key: readonly string[]
) => Promise<Row | undefined>

/** The rows of a table or statement, by a key of one or more columns. */
export function rowByKey<Row>(sql: string, ...columns: (keyof Row & string)[]): RowByKey<Row> {
  return { sql, columns }
}

type WithId = { [Name in keyof Tables]: Tables[Name] extends { id: string } ? Name : never }[keyof Tables]

export function rowById<Name extends WithId>(table: Name): RowByKey<Tables[Name]> {
  const sql = `SELECT * FROM ${table} WHERE id = ANY ($1::uuid[])`
  return rowOfTable<Tables[Name]>(table, sql, (_): _ is Tables[Name] => true)
}

/**
 * The rows of a table by id, from a statement that returns more columns or fewer rows. See
 * `RowByKey.isWhole`.
 */
export function rowOfTable<Row extends { id: string }>(
  table: keyof Tables,
  sql: string,
  isWhole?: (row: object) => row is Row,
): RowByKey<Row> {
  return { sql, columns: ['id'], table, ...(isWhole ? { isWhole } : {}) }
}

/**
 * A table's rows by a key of several columns; `where` adds conditions. OFFSET makes every plan find them key
 * by key: the planner could otherwise reverse the join and read the whole table.
 */
export function rowByColumns<Row>(
  table: string,
  columns: readonly (keyof Row & string)[],
  where = '',
): RowByKey<Row> {
  const keys = columns
    .map((column, index) => `$${index + 1}::${isIdColumn(column) ? 'uuid' : 'text'}[]`)
    .join(', ')
  const matchesKey = columns.map((column) => `t.${column} = asked.${column}`).join(' AND ')
  return rowByKey<Row>(
    `SELECT found.* FROM unnest(${keys}) AS asked (${columns.join(', ')})
     CROSS JOIN LATERAL (SELECT * FROM ${table} t WHERE ${matchesKey}${where && ` AND ${where}`} OFFSET 0) AS found`,
    ...columns,
  )
}

/** Looks rows up by their keys. Concurrent lookups share a statement. */
export function createLookup(db: Database): Lookup {
  const loaders = new Map<object, (key: readonly string[]) => Promise<object | undefined>>()
  return (of, ...key) => {
    let find = loaders.get(of)
    if (!find) {
      find = batchReads((keys) => load(db, of, keys))
      loaders.set(of, find)
    }
    return find(key) as Promise<never>
  }
}

async function load<Row extends object>(
  db: Database,
  { sql, columns }: RowByKey<Row>,
  keys: readonly (readonly string[])[],
): Promise<(Row | undefined)[]> {
  const byName = new Map<string, readonly string[]>()
  const names = keys.map((key) => {
    const name = nameOf(key)
    byName.set(name, key)
    return name
  })
  const distinct = [...byName.values()]
  const parameters = columns.map((column, place) =>
    distinct.map((key) => (isIdColumn(column) ? uuidOf(key[place]!) : key[place])),
  )
  const { rows } = await db.query<Row>(sql, parameters, { connection: 'fast' })
  const found = new Map(rows.map((row) => [nameOf(columns.map((column) => String(row[column]))), row]))
  return names.map((name) => found.get(name))
}

/** A string that identifies a key of several columns. */
function nameOf(key: readonly string[]): string {
  const [first] = key
  return key.length === 1 && first !== undefined ? first : JSON.stringify(key)
}
