import { getOnlyRow } from './port.ts'

type Query = <Row>(sql: string) => Promise<{ readonly rows: Row[] }>

/**
 * A Citus node: the coordinator, which alone changes tables and functions, or a worker, which stores rows.
 */
export type CitusNode = 'coordinator' | 'worker'

/**
 * The Citus node of this connection, or undefined if the schema is not distributed. Takes two statements,
 * because the tables of the second exist only with Citus.
 */
export async function findCitusNode(query: Query): Promise<CitusNode | undefined> {
  const { rows } = await query<{ has_citus: boolean }>(
    `SELECT to_regclass('pg_catalog.pg_dist_schema') IS NOT NULL AS has_citus`,
  )
  if (!getOnlyRow(rows).has_citus) return undefined
  const found = await query<{ node: CitusNode }>(
    `SELECT CASE groupid WHEN 0 THEN 'coordinator' ELSE 'worker' END AS node FROM pg_dist_local_group
     WHERE EXISTS (SELECT FROM pg_dist_schema AS s JOIN pg_namespace AS n ON n.oid = s.schemaid WHERE nspname = current_schema())`,
  )
  return found.rows[0]?.node
}

/**
 * The SQLSTATE of `refuse_moved_feed` for a commit that did not run on the node of its schema; nothing was
 * written. Either the functions are not delegated (`schema/citus.ts`), or Citus has stopped delegating on
 * this connection, for example after an error during planning.
 */
export const WRONG_NODE = 'CS010'

/** Runs the script `$1` on the coordinator, in one transaction. */
export const ON_COORDINATOR = 'SELECT success, result FROM run_command_on_coordinator($1)'

/** Throws an error of the coordinator, which Citus returns as a row. */
export function assertSucceeded({
  success,
  result,
}: {
  readonly success: boolean
  readonly result: string
}): void {
  if (!success) throw new Error(`the Citus coordinator rejected a schema change: ${result}`)
}
