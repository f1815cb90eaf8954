import { type Database, getOnlyRow } from '@countersign/server/storage/engine/port'

/** Writes to a table and its indexes, per unit of work. */
export interface TableCounts {
  readonly inserts: number
  readonly updates: number
  readonly deletes: number
  readonly indexEntries: number
  /** Bytes in PostgreSQL's write-ahead log (WAL), without the full-page images that follow a checkpoint. */
  readonly logBytes: number
}

/** Average database cost per unit of work, independent of the machine. */
export interface Counts {
  readonly total: TableCounts & {
    /** Statements sent by the server. Each is a round trip. */
    readonly statements: number
    readonly commits: number
  }
  /** By table. Partitions count toward their table. */
  readonly tables: Readonly<Record<string, TableCounts>>
}

/** The settings that `countWrites` needs. Autovacuum is off because its writes would be counted. */
export const COUNT_SETTINGS = { shared_preload_libraries: 'pg_stat_statements', autovacuum: 'off' }
const EXTENSIONS = ['pg_walinspect', 'pg_stat_statements']

/** False if this PostgreSQL lacks the extensions. `pg_walinspect` was added in version 15. */
export async function canCountWrites(db: Database): Promise<boolean> {
  const { rows } = await db.query('SELECT FROM pg_available_extensions WHERE name = ANY ($1)', [EXTENSIONS])
  return rows.length === EXTENSIONS.length
}

interface SentRow {
  readonly statements: number
  readonly commits: number
}

interface WalRow {
  readonly relation: string | null
  readonly kind: string
  readonly count: number
  readonly bytes: number
}

/** WAL records by table and record type. Indexes, TOAST tables and partitions count toward their table. */
const WAL_RECORDS_SQL = `
WITH RECURSIVE owners AS (
  SELECT c.oid, c.relfilenode, coalesce(i.indrelid, t.oid, c.oid) AS owner
  FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid LEFT JOIN pg_class AS t ON t.reltoastrelid = c.oid
  WHERE c.relfilenode <> 0 AND c.oid >= 16384),
wholes AS (
  SELECT oid, relfilenode, owner FROM owners
  UNION ALL SELECT w.oid, w.relfilenode, p.inhparent FROM wholes AS w JOIN pg_inherits AS p ON p.inhrelid = w.owner),
tables AS (
  SELECT w.relfilenode, c.relname FROM wholes AS w JOIN pg_class AS c ON c.oid = w.owner
  WHERE NOT EXISTS (SELECT FROM pg_inherits AS p WHERE p.inhrelid = w.owner))
SELECT t.relname AS relation, resource_manager || ' ' || record_type AS kind, count(*)::int AS count,
  sum(record_length - fpi_length)::int AS bytes
FROM pg_get_wal_records_info($1, $2) AS w
LEFT JOIN tables AS t ON t.relfilenode = (regexp_match(w.block_ref, 'rel [0-9]+/[0-9]+/([0-9]+)'))[1]::oid
GROUP BY 1, 2`

/**
 * Counts only statements that every unit of work sends. Polling and cache refreshes are excluded, because a
 * busy machine runs more of them per unit.
 */
const STATEMENTS_SQL = `SELECT coalesce(sum(floor(calls / $1::float + 0.05)), 0)::int AS statements,
    coalesce(sum(calls) FILTER (WHERE query LIKE 'SELECT commit%'), 0)::int AS commits
  FROM pg_stat_statements WHERE toplevel AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`

/**
 * Counts the writes of several units of work that run one after another. Nothing else may use the PostgreSQL
 * server in the meantime.
 */
export async function countWrites(db: Database, units: number, work: () => Promise<void>): Promise<Counts> {
  for (const name of EXTENSIONS) await db.query(`CREATE EXTENSION IF NOT EXISTS ${name}`)
  await db.query('SELECT pg_stat_statements_reset()')
  const from = await getWalPosition(db)
  await work()
  const { statements, commits } = getOnlyRow((await db.query<SentRow>(STATEMENTS_SQL, [units])).rows)
  const { rows } = await db.query<WalRow>(WAL_RECORDS_SQL, [from, await getWalPosition(db)])
  const names = [...new Set(rows.flatMap(({ relation }) => relation ?? []))].sort()
  const tables = names
    .map(
      (name) =>
        [
          name,
          countByKind(
            rows.filter(({ relation }) => relation === name),
            units,
          ),
        ] as const,
    )
    .filter(([, { inserts, updates, deletes }]) => inserts + updates + deletes >= WRITES_MIN)
  return {
    total: {
      ...countByKind(
        rows.filter(({ relation }) => tables.some(([name]) => name === relation)),
        units,
      ),
      statements,
      commits: roundTo(commits / units, 0.1),
    },
    tables: Object.fromEntries(tables),
  }
}

/** Tables with fewer writes per unit are written only occasionally, so their counts vary between runs. */
const WRITES_MIN = 0.3

/** The WAL record of an index page split also contains the new entry. */
const KINDS = {
  inserts: /^Heap INSERT/,
  updates: /^Heap (?:HOT_)?UPDATE/,
  deletes: /^Heap DELETE/,
  indexEntries: /^Btree (?:INSERT|SPLIT)/,
} as const

function countByKind(rows: readonly WalRow[], units: number): TableCounts {
  const countPerUnit = (pattern: RegExp) =>
    roundTo(sumBy(rows, ({ kind, count }) => (pattern.test(kind) ? count : 0)) / units, 0.1)
  return {
    inserts: countPerUnit(KINDS.inserts),
    updates: countPerUnit(KINDS.updates),
    deletes: countPerUnit(KINDS.deletes),
    indexEntries: countPerUnit(KINDS.indexEntries),
    logBytes: roundTo(sumBy(rows, ({ bytes }) => bytes) / units, 10),
  }
}

function roundTo(value: number, unit: number): number {
  return Number((Math.round(value / unit) * unit).toFixed(1))
}

function sumBy<T>(all: readonly T[], number: (item: T) => number): number {
  return all.reduce((sum, item) => sum + number(item), 0)
}

async function getWalPosition(db: Database): Promise<string> {
  // Assigns a transaction ID so that the commit flushes the WAL; a read-only commit does not.
  await db.query('SELECT pg_current_xact_id()')
  const { rows } = await db.query<{ position: string }>('SELECT pg_current_wal_flush_lsn()::text AS position')
  return getOnlyRow(rows).position
}
