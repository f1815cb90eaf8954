import type { Database } from '../engine/port.ts'
import { batched } from './batched.ts'

/** A statement that finds rows by keys: `$1`… are arrays of text, one per column of the key. */
export interface RowByKey<Row> {
  readonly sql: string
  /** The columns of the row that make up its key. */
  readonly columns: readonly (keyof Row & string)[]
}

/** The row of a key, read after it was asked for. Rows are shared by those who ask at the same time. */
export type Lookup = <Row extends object>(
  of: RowByKey<Row>,
  ...key: readonly string[]
) => Promise<Row | undefined>

/** A table's rows, or those that a statement makes of them, by a key of one column or several. */
export function rowByKey<Row>(sql: string, ...columns: (keyof Row & string)[]): RowByKey<Row> {
  return { sql, columns }
}

/**
 * A table's rows by a key of several columns; `where` says more of them, by its other columns. They are found key by key, whatever the plan was
 * made for: OFFSET keeps the join from being turned around, which would read all of the table.
 */
export function rowByColumns<Row>(
  table: string,
  columns: readonly (keyof Row & string)[],
  where = '',
): RowByKey<Row> {
  const keys = columns.map((_, index) => `$${index + 1}::text[]`).join(', ')
  const isAsked = columns.map((column) => `t.${column} = asked.${column}`).join(' AND ')
  return rowByKey<Row>(
    `SELECT found.* FROM unnest(${keys}) AS asked (${columns.join(', ')})
     CROSS JOIN LATERAL (SELECT * FROM ${table} t WHERE ${isAsked}${where && ` AND ${where}`} OFFSET 0) AS found`,
    ...columns,
  )
}

/** Looks rows up by their keys. Those that are asked for at the same time share a statement. */
export function createLookup(db: Database): Lookup {
  const loaders = new Map<RowByKey<never>, (key: readonly string[]) => Promise<object | undefined>>()
  return (of, ...key) => {
    let find = loaders.get(of)
    if (!find) {
      find = batched((keys) => load(db, of, keys))
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
  const names = keys.map(nameOf)
  const distinct = [...new Map(keys.map((key, index) => [names[index]!, key])).values()]
  const parameters = columns.map((_, column) => distinct.map((key) => key[column]))
  const { rows } = await db.query<Row>(sql, parameters, { isBrief: true })
  const found = new Map(rows.map((row) => [nameOf(columns.map((column) => String(row[column]))), row]))
  return names.map((name) => found.get(name))
}

/** One text for a key of several columns. */
function nameOf(key: readonly string[]): string {
  return key.length === 1 ? key[0]! : JSON.stringify(key)
}
