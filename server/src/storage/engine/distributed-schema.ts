import { onlyRow } from './port.ts'

type Query = <Row>(sql: string) => Promise<{ readonly rows: Row[] }>

/** A node of Citus: the coordinator, the only one that changes tables and functions, or a worker, which has rows. */
export type CitusNode = 'coordinator' | 'worker'

/**
 * The node of this connection, if its schema is distributed by Citus; undefined otherwise. There are two statements, because the
 * tables of the second are missing without Citus.
 */
export async function findCitusNode(query: Query): Promise<CitusNode | undefined> {
  const { rows } = await query<{ has_citus: boolean }>(
    `SELECT to_regclass('pg_catalog.pg_dist_schema') IS NOT NULL AS has_citus`,
  )
  if (!onlyRow(rows).has_citus) return undefined
  const found = await query<{ node: CitusNode }>(
    `SELECT CASE groupid WHEN 0 THEN 'coordinator' ELSE 'worker' END AS node FROM pg_dist_local_group
     WHERE EXISTS (SELECT FROM pg_dist_schema AS s JOIN pg_namespace AS n ON n.oid = s.schemaid WHERE nspname = current_schema())`,
  )
  return found.rows[0]?.node
}

/**
 * SQLSTATE of `refuse_moved_feed`: a commit did not run on the node of its schema, and nothing was written. The functions may not be
 * delegated (`schema/citus.ts`), or Citus no longer delegates any on this connection, as after an error while it planned.
 */
export const WRONG_NODE = 'CS010'

/** Runs a script on the coordinator: `$1`, in one transaction. */
export const ON_COORDINATOR = 'SELECT success, result FROM run_command_on_coordinator($1)'

/** Throws the error of the coordinator, which Citus returns as a row. */
export function assertDone({
  success,
  result,
}: {
  readonly success: boolean
  readonly result: string
}): void {
  if (!success) throw new Error(`the coordinator of Citus has refused a change of the schema: ${result}`)
}
