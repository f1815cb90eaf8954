import { type Database, onlyRow } from '@countersign/server/storage/engine/port'

/** Writes per unit of work to a table and its indexes. */
export interface TableCounts {
  readonly inserts: number
  readonly updates: number
  readonly deletes: number
  readonly indexEntries: number
  /** Bytes in PostgreSQL's log, without the full-page images that follow a checkpoint. */
  readonly logBytes: number
}

/** The average cost of a unit of work for the database. It does not depend on the machine. */
export interface Counts {
  readonly total: TableCounts & {
    /** Statements sent by the server. Each is a round trip. */
    readonly statements: number
    readonly commits: number
  }
  /** By table. Partitions count toward their table. */
  readonly tables: Readonly<Record<string, TableCounts>>
}

/** The settings that `countWrites` needs. Autovacuum is off because its writes would count. */
export const COUNT_SETTINGS = { shared_preload_libraries: 'pg_stat_statements', autovacuum: 'off' }
const EXTENSIONS = ['pg_walinspect', 'pg_stat_statements']

/** False if this PostgreSQL lacks the extensions. `pg_walinspect` was added in version 15. */
export async function canCountWrites(db: Database): Promise<boolean> {
  const { rows } = await db.query('SELECT FROM pg_available_extensions WHERE name = ANY ($1)', [EXTENSIONS])
  return rows.length === EXTENSIONS.length
}

interface Sent {
  readonly statements: number
  readonly commits: number
}

interface LogRow {
  readonly relation: string | null
  readonly kind: string
  readonly count: number
  readonly bytes: number
}

/**
 * The relations of this database by file. Indexes and TOAST tables count toward their table, and partitions
 * toward the whole.
 */
const LOG = `
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
 * Counts a statement as many times as every unit of work sends it. Polling and cache refreshes are left out,
 * because a busy machine has more of them per unit.
 */
const STATEMENTS = `SELECT coalesce(sum(floor(calls / $1::float + 0.05)), 0)::int AS statements,
    coalesce(sum(calls) FILTER (WHERE query LIKE 'SELECT commit%'), 0)::int AS commits
  FROM pg_stat_statements WHERE toplevel AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** Counts the writes of several units of work, done one after another. Nothing else may use the cluster. */
export async function countWrites(db: Database, pieces: number, work: () => Promise<void>): Promise<Counts> {
  for (const name of EXTENSIONS) await db.query(`CREATE EXTENSION IF NOT EXISTS ${name}`)
  await db.query('SELECT pg_stat_statements_reset()')
  const from = await endOfLog(db)
  await work()
  const { statements, commits } = onlyRow((await db.query<Sent>(STATEMENTS, [pieces])).rows)
  const { rows } = await db.query<LogRow>(LOG, [from, await endOfLog(db)])
  const names = [...new Set(rows.flatMap(({ relation }) => relation ?? []))].sort()
  const tables = names
    .map(
      (name) =>
        [
          name,
          countByKind(
            rows.filter(({ relation }) => relation === name),
            pieces,
          ),
        ] as const,
    )
    .filter(([, { inserts, updates, deletes }]) => inserts + updates + deletes >= WRITES_MIN)
  return {
    total: {
      ...countByKind(
        rows.filter(({ relation }) => tables.some(([name]) => name === relation)),
        pieces,
      ),
      statements,
      commits: roundTo(commits / pieces, 0.1),
    },
    tables: Object.fromEntries(tables),
  }
}

/** Fewer writes than this come from occasional work, and differ from run to run. */
const WRITES_MIN = 0.3

/** A log record that splits an index page also contains the entry that did not fit. */
const KINDS = {
  inserts: /^Heap INSERT/,
  updates: /^Heap (?:HOT_)?UPDATE/,
  deletes: /^Heap DELETE/,
  indexEntries: /^Btree (?:INSERT|SPLIT)/,
} as const

function countByKind(rows: readonly LogRow[], pieces: number): TableCounts {
  const countPerPiece = (pattern: RegExp) =>
    roundTo(sumOf(rows, ({ kind, count }) => (pattern.test(kind) ? count : 0)) / pieces, 0.1)
  return {
    inserts: countPerPiece(KINDS.inserts),
    updates: countPerPiece(KINDS.updates),
    deletes: countPerPiece(KINDS.deletes),
    indexEntries: countPerPiece(KINDS.indexEntries),
    logBytes: roundTo(sumOf(rows, ({ bytes }) => bytes) / pieces, 10),
  }
}

function roundTo(value: number, unit: number): number {
  return Number((Math.round(value / unit) * unit).toFixed(1))
}

function sumOf<T>(all: readonly T[], number: (one: T) => number): number {
  return all.reduce((sum, one) => sum + number(one), 0)
}

async function endOfLog(db: Database): Promise<string> {
  // The log is flushed a moment after a commit without a write; this one has a transaction number, so it is flushed immediately.
  await db.query('SELECT pg_current_xact_id()')
  const { rows } = await db.query<{ position: string }>('SELECT pg_current_wal_flush_lsn()::text AS position')
  return onlyRow(rows).position
}
