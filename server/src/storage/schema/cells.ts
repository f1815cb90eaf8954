import { type Database, getOnlyRow } from '../engine/port.ts'
import { checkDistribution } from './citus.ts'
import { SCHEMA_NAME } from './migrate.ts'

/** A schema that has our tables. */
export interface Cell {
  readonly schema: string
  /** True for the schema of this connection. */
  readonly isOwn: boolean
  /** Null if this role may not read the schema. */
  readonly mode: string | null
  readonly platforms: number | null
  /** True if the schema has the newest migration of this build. */
  readonly isOfThisBuild: boolean | null
  /** The connection names of the servers connected to it. */
  readonly servers: readonly string[]
}

/** Any schema name may be used in these statements, so PostgreSQL quotes it. */
const CELLS_SQL = `
SELECT n.nspname::text AS schema, quote_ident(n.nspname) AS quoted, coalesce(n.nspname = current_schema(), false) AS "isOwn",
  has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AS "isReadable",
  ARRAY(SELECT DISTINCT application_name FROM pg_stat_activity
    WHERE datname = current_database() AND split_part(application_name, ' ', 1) = 'countersign'
      AND split_part(application_name, ' ', 3) = n.nspname ORDER BY 1) AS servers
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname = 'schema_functions' AND c.relkind = 'r' ORDER BY 1`

interface FoundCell extends Pick<Cell, 'schema' | 'isOwn' | 'servers'> {
  readonly quoted: string
  readonly isReadable: boolean
}

/** The cells of this database, by name. */
export async function listCells(db: Database): Promise<Cell[]> {
  const { rows } = await db.query<FoundCell>(CELLS_SQL)
  return Promise.all(
    rows.map(async ({ quoted, isReadable, ...cell }) => ({
      ...cell,
      ...(isReadable ? await readCell(db, quoted) : { mode: null, platforms: null, isOfThisBuild: null }),
    })),
  )
}

async function readCell(
  db: Database,
  schema: string,
): Promise<Pick<Cell, 'mode' | 'platforms' | 'isOfThisBuild'>> {
  const { rows } = await db.query<{ mode: string | null; platforms: number; isOfThisBuild: boolean }>(
    `SELECT (SELECT value FROM ${schema}.settings WHERE name = 'mode') AS mode,
       (SELECT count(*)::int FROM ${schema}.platforms) AS platforms,
       EXISTS (SELECT FROM ${schema}.migrations WHERE name = $1
         UNION ALL SELECT FROM ${schema}.schema_additions WHERE name = $1) AS "isOfThisBuild"`,
    [SCHEMA_NAME],
  )
  return getOnlyRow(rows)
}

/** Objects outside of the schema that one of its tables, defaults, constraints or triggers uses. */
const FOREIGN_OBJECTS_SQL = `
WITH own AS (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace),
parts AS (
  SELECT 'pg_class'::regclass AS classid, oid AS objid, oid AS relation FROM own
  UNION ALL SELECT 'pg_attrdef'::regclass, a.oid, adrelid FROM pg_attrdef a JOIN own ON own.oid = adrelid
  UNION ALL SELECT 'pg_constraint'::regclass, c.oid, conrelid FROM pg_constraint c JOIN own ON own.oid = conrelid
  UNION ALL SELECT 'pg_trigger'::regclass, t.oid, tgrelid FROM pg_trigger t JOIN own ON own.oid = tgrelid)
SELECT DISTINCT format('%s uses %s', p.relation::regclass, pg_describe_object(d.refclassid, d.refobjid, 0)) AS use
FROM parts p JOIN pg_depend d ON d.classid = p.classid AND d.objid = p.objid
  LEFT JOIN pg_class c ON d.refclassid = 'pg_class'::regclass AND c.oid = d.refobjid
  LEFT JOIN pg_proc f ON d.refclassid = 'pg_proc'::regclass AND f.oid = d.refobjid
  LEFT JOIN pg_type t ON d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
WHERE coalesce(c.relnamespace, f.pronamespace, t.typnamespace) NOT IN
  (current_schema()::regnamespace, 'pg_catalog'::regnamespace, 'pg_toast'::regnamespace)
ORDER BY 1`

/** Objects that this role does not own, although upgrades and the feed change them. */
const NOT_OWNED_SQL = `
SELECT name FROM (
  SELECT relname::text AS name, relowner AS owner FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'S')
  UNION ALL SELECT proname::text, proowner FROM pg_proc WHERE pronamespace = current_schema()::regnamespace) AS o
WHERE NOT pg_has_role(owner, 'USAGE') ORDER BY 1`

const CONNECTION_SQL = `
SELECT current_schema()::text AS schema, current_schemas(false)::text[] AS path, current_user::text AS role,
  has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate"`

/** Problems of this connection's schema, each with its remedy. */
export async function checkCell(
  db: Database,
): Promise<{ readonly schema: string; readonly findings: readonly string[] }> {
  const connection = await db.query<{ schema: string; path: string[]; role: string; mayCreate: boolean }>(
    CONNECTION_SQL,
  )
  const { schema, path, role, mayCreate } = getOnlyRow(connection.rows)
  const notOwned = (await db.query<{ name: string }>(NOT_OWNED_SQL)).rows.map(({ name }) => name)
  const foreignObjects = (await db.query<{ use: string }>(FOREIGN_OBJECTS_SQL)).rows.map(({ use }) => use)
  const [first] = notOwned
  return {
    schema,
    findings: [
      ...(path.length > 1
        ? [
            `The connection also finds tables in ${path.slice(1).join(', ')}: run ALTER ROLE "${role}" SET search_path = '${schema}'.`,
          ]
        : []),
      ...(mayCreate
        ? []
        : [
            `The role cannot create the partitions of the next month: run GRANT CREATE ON SCHEMA ${schema} TO "${role}".`,
          ]),
      ...(first === undefined
        ? []
        : [
            `The role does not own ${first}${notOwned.length > 1 ? ` and ${notOwned.length - 1} more` : ''}, so it cannot upgrade them. Make "${role}" their owner.`,
          ]),
      ...(await checkDistribution(db)),
      ...foreignObjects.map((use) => `${use}: move it into ${schema}, or restore the schema from a backup.`),
    ],
  }
}
