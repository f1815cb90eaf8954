import { type CitusNode, findCitusNode } from '../engine/distributed-schema.ts'
import type { Database } from '../engine/port.ts'
import { SESSION_SETTINGS } from '../engine/session.ts'

/** The function that performs a commit. Citus runs all of it on the node that stores the schema. */
const COMMIT_FUNCTION = 'commit_together'

/** Settings that the role needs on all nodes. The schema's triggers write only to tables on the same node. */
const ROLE_SETTINGS = { ...SESSION_SETTINGS, 'citus.enable_unsafe_triggers': 'on' }

/**
 * Delegates the commit function to the schema's node. Run it again after an upgrade: if the arguments change,
 * PostgreSQL treats it as a new function. Also resets the plan cache mode, because Citus rejects the generic
 * plans used elsewhere.
 */
export const DELEGATE_COMMIT_SQL = `
ALTER FUNCTION ${COMMIT_FUNCTION} SET plan_cache_mode = auto;
SELECT create_distributed_function(oid::regprocedure, colocate_with => format('%I.settings', current_schema()))
  FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proname = '${COMMIT_FUNCTION}';`

/** The content of `deploy/citus.sql`. */
export const CITUS_SCRIPT = `-- Puts the schema of a cell on one node of Citus (docs/scale.md). Printed from server/src/storage/schema/citus.ts.
-- Start a server once, so that the schema has its tables, and stop all servers of the cell. Then, as a superuser on the coordinator:
--   psql --set=schema=north --set=role=north --file=deploy/citus.sql postgres://…/countersign
-- A second run changes nothing.
\\set ON_ERROR_STOP on
SET client_min_messages = warning;
BEGIN;
ALTER ROLE :"role" SET search_path = :"schema";
${Object.entries(ROLE_SETTINGS)
  .map(([name, value]) => `ALTER ROLE :"role" SET ${name} = '${value}';`)
  .join('\n')}
SET LOCAL search_path = :"schema";
SET LOCAL citus.enable_unsafe_triggers = 'on';
SELECT citus_schema_distribute(:'schema')
  WHERE NOT EXISTS (SELECT FROM pg_dist_schema WHERE schemaid = current_schema()::regnamespace);
${DELEGATE_COMMIT_SQL.trim()}
COMMIT;
-- The rows that were copied to the node. The triggers would refuse to remove them.
SET search_path = :"schema";
SET session_replication_role = 'replica';
SELECT count(truncate_local_data_after_distributing_table(oid)) AS tables FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition;
`

/** The Citus node of this connection, or undefined if the schema is not distributed. */
export async function findNode(db: Database): Promise<CitusNode | undefined> {
  return db.kind === 'postgres' ? findCitusNode((sql) => db.query(sql)) : undefined
}

const UNDISTRIBUTED_SQL = `
SELECT format('%I.%I', current_schema(), c.relname) AS name, format('%I.settings', current_schema()) AS settings FROM pg_class AS c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
  AND NOT EXISTS (SELECT FROM pg_dist_partition AS p JOIN pg_dist_schema AS s USING (colocationid)
    WHERE p.logicalrelid = c.oid AND s.schemaid = c.relnamespace)
ORDER BY 1`

const UNDELEGATED_SQL = `
SELECT format('%I.%I', current_schema(), f.proname) AS name, format('%I.settings', current_schema()) AS settings FROM pg_proc AS f
WHERE f.pronamespace = current_schema()::regnamespace AND f.proname = '${COMMIT_FUNCTION}'
  AND NOT ('plan_cache_mode=auto' = ANY (proconfig) AND EXISTS (SELECT FROM pg_dist_object AS o JOIN pg_dist_schema AS s USING (colocationid)
    WHERE o.classid = 'pg_proc'::regclass AND o.objid = f.oid AND s.schemaid = f.pronamespace))
ORDER BY 1`

/** Reads from a table so that Citus runs it on the schema's node. */
const NODE_SETTINGS_SQL = `
SELECT current_schema()::text AS schema, current_user::text AS role,
  ${Object.keys(SESSION_SETTINGS)
    .map((name) => `current_setting('${name}') AS "${name}"`)
    .join(', ')}, current_setting('search_path') AS search_path
FROM settings WHERE name = 'mode'`

interface MisplacedObject {
  readonly name: string
  readonly settings: string
}

/** Problems with a schema on a Citus node, each with the statement that fixes it. Empty without Citus. */
export async function checkDistribution(db: Database): Promise<readonly string[]> {
  if ((await findNode(db)) === undefined) return []
  const tables = (await db.query<MisplacedObject>(UNDISTRIBUTED_SQL)).rows
  if (tables.length > 0)
    return tables.map(
      ({ name, settings }) =>
        `The table ${name} is not on the node of its schema: run SELECT create_distributed_table('${name}', NULL, colocate_with => '${settings}');`,
    )
  const functions = (await db.query<MisplacedObject>(UNDELEGATED_SQL)).rows
  const [node] = (await db.query<Record<string, string>>(NODE_SETTINGS_SQL)).rows
  const expectedSettings: Readonly<Record<string, string | undefined>> = {
    ...SESSION_SETTINGS,
    search_path: node?.schema,
  }
  const wrongSettings = Object.entries(expectedSettings).filter(
    ([name, value]) => node && node[name] !== value,
  )
  return [
    ...functions.map(
      ({ name, settings }) =>
        `The function ${name} does not run on the node of its schema: run ALTER FUNCTION ${name} SET plan_cache_mode = auto; SELECT create_distributed_function('${name}'::regproc::oid, colocate_with => '${settings}');`,
    ),
    ...wrongSettings.map(
      ([name, value]) =>
        `The node of the schema has ${name} = ${node?.[name]}: run ALTER ROLE "${node?.role}" SET ${name} = '${value}';`,
    ),
  ]
}

/** Throws a one-line error if a schema on a Citus node is incomplete. */
export async function assertDistributed(db: Database): Promise<void> {
  const problems = await checkDistribution(db)
  const hint =
    problems.length > 1 ? ` There are ${problems.length - 1} more; deploy/citus.sql fixes all of them.` : ''
  if (problems[0] !== undefined) throw new Error(`${problems[0]}${hint}`)
}
