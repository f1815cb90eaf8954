import { extractUuid } from '../engine/ids.ts'
import type { Database } from '../engine/port.ts'
import type { Tables } from '../rows/tables.ts'
import { isIdColumn } from '../schema/id-columns.ts'
import { batchReads } from './batched.ts'

/**
 * A statement that finds rows by keys. Its parameters `$1`… are arrays, one per key column: uuid[] for id
 * columns, text[] for all others.
 */
export interface RowByKey<Row> {
  readonly sql: string
  /** The key columns in the result. */
  readonly columns: readonly (keyof Row & string)[]
  /** Set if rows are found by id and have all columns of this table. */
  readonly table?: keyof Tables
  /**
   * Set if the statement can find every row of the table. Returns true if a row already has every column that
   * the statement selects.
   */
  readonly isComplete?: (row: object) => row is Row & object
}

/** Finds the row with a key. It is read after the call, and concurrent calls share one statement. */
export type Lookup = <Row extends object>(
  statement: RowByKey<Row>,
  ...key: readonly string[]
) => Promise<Row | undefined>

/** A lookup of rows by a key of one or more columns. */
export function lookupByKey<Row>(sql: string, ...columns: (keyof Row & string)[]): RowByKey<Row> {
  return { sql, columns }
}

type WithId = { [Name in keyof Tables]: Tables[Name] extends { id: string } ? Name : never }[keyof Tables]

export function lookupById<Name extends WithId>(table: Name): RowByKey<Tables[Name]> {
  const sql = `SELECT * FROM ${table} WHERE id = ANY ($1::uuid[])`
  return lookupByIdInTable<Tables[Name]>(table, sql, (_): _ is Tables[Name] => true)
}

/**
 * A lookup by id for a statement that selects more columns or fewer rows than its table. See
 * `RowByKey.isComplete`.
 */
export function lookupByIdInTable<Row extends { id: string }>(
  table: keyof Tables,
  sql: string,
  isComplete?: (row: object) => row is Row,
): RowByKey<Row> {
  return { sql, columns: ['id'], table, ...(isComplete ? { isComplete } : {}) }
}

/**
 * A lookup by a key of several columns; `where` adds conditions. OFFSET makes every plan look up one key at a
 * time: otherwise the planner might reverse the join and scan the whole table.
 */
export function lookupByColumns<Row>(
  table: string,
  columns: readonly (keyof Row & string)[],
  where = '',
): RowByKey<Row> {
  const keys = columns
    .map((column, index) => `$${index + 1}::${isIdColumn(column) ? 'uuid' : 'text'}[]`)
    .join(', ')
  const matchesKey = columns.map((column) => `t.${column} = asked.${column}`).join(' AND ')
  return lookupByKey<Row>(
    `SELECT found.* FROM unnest(${keys}) AS asked (${columns.join(', ')})
     CROSS JOIN LATERAL (SELECT * FROM ${table} t WHERE ${matchesKey}${where && ` AND ${where}`} OFFSET 0) AS found`,
    ...columns,
  )
}

/** Looks up rows by key. Concurrent lookups share a statement. */
export function createLookup(db: Database): Lookup {
  const loaders = new Map<object, (key: readonly string[]) => Promise<object | undefined>>()
  return (statement, ...key) => {
    let loader = loaders.get(statement)
    if (!loader) {
      loader = batchReads((keys) => load(db, statement, keys))
      loaders.set(statement, loader)
    }
    return loader(key) as Promise<never>
  }
}

async function load<Row extends object>(
  db: Database,
  { sql, columns }: RowByKey<Row>,
  keys: readonly (readonly string[])[],
): Promise<(Row | undefined)[]> {
  const byMapKey = new Map<string, readonly string[]>()
  const mapKeys = keys.map((key) => {
    const mapKey = toMapKey(key)
    byMapKey.set(mapKey, key)
    return mapKey
  })
  const distinct = [...byMapKey.values()]
  const parameters = columns.map((column, place) =>
    distinct.map((key) => (isIdColumn(column) ? extractUuid(key[place]!) : key[place])),
  )
  const { rows } = await db.query<Row>(sql, parameters, { connection: 'fast' })
  const found = new Map(rows.map((row) => [toMapKey(columns.map((column) => String(row[column]))), row]))
  return mapKeys.map((mapKey) => found.get(mapKey))
}

/** Encodes a key as a string, for use in a map. */
function toMapKey(key: readonly string[]): string {
  const [first] = key
  return key.length === 1 && first !== undefined ? first : JSON.stringify(key)
}
