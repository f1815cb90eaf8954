import pg from 'pg'
import type { Database } from '../engine/port.ts'
import { getOnlyRow } from '../engine/port.ts'
import { readHosts } from '../engine/postgres-url.ts'

/** Tables written by the migrations themselves, which both databases have. */
const MIGRATION_TABLES = ['migrations', 'schema_additions', 'schema_functions']
/** The number of 8 KiB pages to copy at a time. */
const PAGES = 64

/** Settings with which values look the same on every server. */
const AS_TEXT =
  "SET LOCAL datestyle = 'ISO'; SET LOCAL bytea_output = 'hex'; SET LOCAL intervalstyle = 'postgres'"

const TABLES_SQL = `
SELECT c.relname AS name, c.relkind = 'p' AS divided, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
  FILTER (WHERE a.attgenerated = '') AS columns,
  string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum) AS shape
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL ($1)
GROUP BY c.relname, c.relkind ORDER BY c.relname`

const PARTS_SQL =
  'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::text::regclass ORDER BY 1'

const SEQUENCES_SQL = `
SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY sequencename`

const REFERENCES_SQL = `
SELECT conrelid::regclass::text AS on_table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
FROM pg_constraint
WHERE connamespace = current_schema()::regnamespace AND contype = 'f' AND conparentid = 0 ORDER BY 1, 2`

interface Table {
  readonly name: string
  /** True for tables partitioned by month, whose partitions may differ between the databases. */
  readonly divided: boolean
  /** The columns to write, quoted. */
  readonly columns: string
  /** All columns with their types. */
  readonly shape: string
}

/** A connection with a single transaction. */
type Target = pg.Client

/** Row counts by table. */
export type RowCounts = Readonly<Record<string, number>>

/**
 * Copies all rows and sequences to another database with the same schema, in one transaction. Before
 * `beforeCommit` and the commit, the copied rows are compared with the originals by digest. The source must
 * not change meanwhile; throws a one-line error if the target is in use, or if a table has a different shape.
 */
export async function moveTables(
  source: Database,
  to: { readonly url: string; readonly schema: string },
  beforeCommit: () => Promise<void>,
): Promise<RowCounts> {
  const [, connectionString] = readHosts(to.url, 'DATABASE_URL', to.schema).current()
  const target = new pg.Client({
    connectionString,
    application_name: 'countersign-migrate',
  })
  target.on('error', () => {})
  await target.connect()
  try {
    await target.query('BEGIN')
    await target.query(AS_TEXT)
    await checkUnused(target)
    const moved = await moveAll(source, target)
    await beforeCommit()
    await target.query('COMMIT')
    return moved
  } finally {
    // Also rolls back if there was an error.
    await target.end()
  }
}

/**
 * Locks the tables that a server writes to first, so that no server can start using the database meanwhile.
 */
async function checkUnused(target: Target): Promise<void> {
  await target.query('LOCK TABLE platforms, data_keys IN ACCESS EXCLUSIVE MODE')
  const { rows } = await target.query<{ used: boolean }>(
    'SELECT EXISTS (SELECT FROM platforms) OR EXISTS (SELECT FROM data_keys) AS used',
  )
  if (getOnlyRow(rows).used)
    throw new Error('The PostgreSQL database is already in use: choose an empty one.')
}

async function moveAll(source: Database, target: Target): Promise<RowCounts> {
  const tables = await listSharedTables(source, target)
  const references = (await target.query(REFERENCES_SQL)).rows
  for (const { on_table, name } of references)
    await target.query(`ALTER TABLE ${on_table} DROP CONSTRAINT ${name}`)
  const moved: Record<string, number> = {}
  for (const table of tables) moved[table.name] = await moveTable(source, target, table)
  for (const { name, last } of (await source.query<{ name: string; last: string }>(SEQUENCES_SQL)).rows)
    await target.query('SELECT setval(quote_ident($1)::regclass, $2::bigint)', [name, last])
  // Recreates the foreign keys, which checks that every reference is valid.
  for (const { on_table, name, definition } of references)
    await target.query(`ALTER TABLE ${on_table} ADD CONSTRAINT ${name} ${definition}`)
  return moved
}

async function listSharedTables(source: Database, target: Target): Promise<Table[]> {
  const there = new Map(
    (await target.query<Table>(TABLES_SQL, [MIGRATION_TABLES])).rows.map(
      ({ name, shape }) => [name, shape] as const,
    ),
  )
  const { rows: tables } = await source.query<Table>(TABLES_SQL, [MIGRATION_TABLES])
  for (const { name, shape } of tables)
    if (there.get(name) !== shape) throw new Error(`the table ${name} differs between the databases`)
  return tables
}

/** Copies the rows of one table without firing its triggers, whose effects are copied as well. */
async function moveTable(source: Database, target: Target, table: Table): Promise<number> {
  const { name } = table
  await target.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
  // The source has the rows that migrations have inserted here.
  await target.query(`DELETE FROM ${name}`)
  const parts = table.divided ? (await source.query<{ name: string }>(PARTS_SQL, [name])).rows : [{ name }]
  for (const part of parts) await copyRows(source, target, part.name, table)
  await target.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
  return compare(source, target, name)
}

async function copyRows(
  source: Database,
  target: Target,
  from: string,
  { name, columns }: Table,
): Promise<void> {
  const { rows: sizes } = await source.query<{ count: bigint }>(
    `SELECT pg_relation_size('${from}') / current_setting('block_size')::bigint AS count`,
  )
  const pages = Number(getOnlyRow(sizes).count)
  for (let page = 0; page < pages; page += PAGES) {
    const { rows } = await source.query<{ row: string }>(
      `SELECT t::text AS row FROM ${from} t WHERE ctid >= '(${page},0)' AND ctid < '(${page + PAGES},0)'`,
    )
    if (rows.length === 0) continue
    await target.query(
      `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM unnest($1::text[]::${name}[])`,
      [rows.map(({ row }) => row)],
    )
  }
}

/** Sums the digests of all rows, so that their order does not matter. */
function digestSql(table: string): string {
  const sumHalf = (from: number) =>
    `sum(('x' || encode(substr(d, ${from}, 8), 'hex'))::bit(64)::bigint::numeric)`
  return `
SELECT count(*)::text AS count, coalesce(${sumHalf(1)}, 0)::text AS one, coalesce(${sumHalf(9)}, 0)::text AS other
FROM (SELECT sha256(convert_to(t::text, 'UTF8')) AS d FROM ${table} t) AS digests`
}

interface Digest {
  readonly count: string
  readonly one: string
  readonly other: string
}

async function compare(source: Database, target: Target, name: string): Promise<number> {
  const before = getOnlyRow((await source.query<Digest>(digestSql(name))).rows)
  const after = getOnlyRow((await target.query<Digest>(digestSql(name))).rows)
  if (before.count !== after.count || before.one !== after.one || before.other !== after.other)
    throw new Error(
      `the rows of ${name} differ after the copy: ${before.count} rows before, ${after.count} after`,
    )
  return Number(before.count)
}
