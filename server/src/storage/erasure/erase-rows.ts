import type { Database } from '../engine/port.ts'
import { getOnlyRow } from '../engine/port.ts'
import { COLUMNS_OF_CUSTOMERS } from './columns-of-customers.ts'
import { COLUMNS_OF_PAYMENTS, IS_PAST_FILES, OWN_INSTRUCTIONS } from './columns-of-payments.ts'
import { COLUMNS_OF_WORK } from './columns-of-work.ts'
import type { ErasedRows, TableColumns } from './table-columns.ts'

/** All tables of the database, with the personal data in their columns. */
export const TABLE_COLUMNS: Readonly<Record<string, TableColumns>> = {
  ...COLUMNS_OF_CUSTOMERS,
  ...COLUMNS_OF_PAYMENTS,
  ...COLUMNS_OF_WORK,
}

/** A statement may scan many rows to find the remaining ones, and nothing waits for it. */
export const LONG = { connection: 'long' } as const

/** The maximum number of rows per statement. Each statement is its own transaction. */
export const ROWS_MAX = 1_000

/**
 * A statement that erases some rows. It finds at most `$2` rows that are not erased yet, and returns their
 * number.
 */
export interface RowsStatement extends Pick<ErasedRows, 'by' | 'isEarly'> {
  readonly table: string
  readonly sql: string
}

/** The statements for all tables, in order. */
export const ROWS_STATEMENTS: readonly RowsStatement[] = Object.entries(TABLE_COLUMNS).flatMap(
  ([table, { erased = [] }]) =>
    erased.map(({ by, isEarly, ...rows }) => ({
      table,
      by,
      ...(isEarly ? { isEarly } : {}),
      sql: buildEraseStatement(table, rows),
    })),
)

/**
 * Rows changed concurrently are counted but not erased, so the statement must be repeated. The update states
 * the condition again, because its index finds rows that cannot be found by id.
 */
export function buildEraseStatement(table: string, { rows, set }: Pick<ErasedRows, 'rows' | 'set'>): string {
  const columns = Object.keys(set ?? {})
  const values = Object.values(set ?? {})
  const isLeft = set
    ? `AND ROW(${columns.map((column) => `t.${column}`).join(', ')}) IS DISTINCT FROM ROW(${values.join(', ')})`
    : ''
  const change = set
    ? `UPDATE ${table} AS t SET ${columns.map((column, index) => `${column} = ${values[index]}`).join(', ')}`
    : `DELETE FROM ${table} AS t`
  return `
WITH found AS MATERIALIZED (SELECT t.id FROM ${table} AS t WHERE (${rows}) ${isLeft} LIMIT $2 FOR UPDATE),
  changed AS (${change} WHERE (${rows}) AND t.id = ANY (ARRAY(SELECT id FROM found)) RETURNING 1)
SELECT (SELECT count(*) FROM found)::integer AS found, (SELECT count(*) FROM changed)::integer AS changed`
}

/**
 * Erases at most `ROWS_MAX` rows of a customer or of records. `of` is the uuid of the customer, or the uuids
 * of the records. Returns the number of rows found.
 */
export async function eraseRows(
  db: Database,
  { sql }: Pick<RowsStatement, 'sql'>,
  of: string | readonly string[],
): Promise<number> {
  const { rows } = await db.query<{ found: number }>(sql, [of, ROWS_MAX], LONG)
  return getOnlyRow(rows).found
}

/** Erases all rows of some records, one statement after another. Returns the number of rows. */
export async function eraseAllRows(
  db: Database,
  statement: Pick<RowsStatement, 'sql'>,
  of: string | readonly string[],
): Promise<number> {
  for (let total = 0; ; ) {
    const found = await eraseRows(db, statement, of)
    total += found
    if (found < ROWS_MAX) return total
  }
}

/**
 * True if an unwritten bank file still needs some of these rows of `bank_payments`, which are erased later.
 */
export async function isNeededByFiles(
  db: Database,
  rows: string,
  of: string | readonly string[],
): Promise<boolean> {
  const found = await db.query(
    `SELECT id FROM bank_payments AS t WHERE ${rows} AND NOT ${IS_PAST_FILES} LIMIT 1`,
    [of],
    LONG,
  )
  return found.rows.length > 0
}

/**
 * Removes instructions that have been waiting since `before` on a rail that no longer writes files, so that
 * they will never be sent. Returns their number.
 */
export async function removeLostInstructions(
  db: Database,
  customer: string,
  { rails, before }: { readonly rails: readonly string[]; readonly before: Date },
): Promise<number> {
  const removed = await db.query(
    `DELETE FROM bank_payments AS t
     WHERE ${OWN_INSTRUCTIONS} AND kind = 'INSTRUCTION' AND file_id IS NULL AND rail <> ALL ($2) AND created_at < $3`,
    [customer, rails, before],
    LONG,
  )
  return removed.affected
}
