import { type Database, onlyRow } from '@countersign/server/storage/engine/port'

/** Writes of one piece of work to a table and its indexes. */
export interface TableCounts {
  readonly inserts: number
  readonly updates: number
  readonly deletes: number
  readonly indexEntries: number
  /** In PostgreSQL's log, without the images of whole pages after a checkpoint. */
  readonly logBytes: number
}

/** The average cost of a piece of work for the database. It does not depend on the machine. */
export interface Counts {
  readonly total: TableCounts & {
    /** Statements that the server sends, each a round trip. */
    readonly statements: number
    readonly commits: number
  }
  /** By table. Parts of a table count as the table. */
  readonly tables: Readonly<Record<string, TableCounts>>
}

/** PostgreSQL needs these for `countWrites`; autovacuum would count too. */
export const COUNT_SETTINGS = { shared_preload_libraries: 'pg_stat_statements', autovacuum: 'off' }
const EXTENSIONS = ['pg_walinspect', 'pg_stat_statements']

/** False if this PostgreSQL does not have the extensions: `pg_walinspect` came with version 15. */
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

/** The relations of this database by their files: an index and a TOAST table as their table, a part as the whole. */
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
 * Counts a statement as often as every piece of work sends it. Polling and reads after a cache has expired are left
 * out: a busy machine has more of them per piece.
 */
const STATEMENTS = `SELECT coalesce(sum(floor(calls / $1::float + 0.05)), 0)::int AS statements,
    coalesce(sum(calls) FILTER (WHERE query LIKE 'SELECT commit%'), 0)::int AS commits
  FROM pg_stat_statements WHERE toplevel AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** Counts the writes of several pieces of work, one after the other. Nothing else may use the cluster. */
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
          countsOf(
            rows.filter(({ relation }) => relation === name),
            pieces,
          ),
        ] as const,
    )
    .filter(([, { inserts, updates, deletes }]) => inserts + updates + deletes >= LEAST)
  return {
    total: {
      ...countsOf(
        rows.filter(({ relation }) => tables.some(([name]) => name === relation)),
        pieces,
      ),
      statements,
      commits: roundTo(commits / pieces, 0.1),
    },
    tables: Object.fromEntries(tables),
  }
}

/** Fewer writes belong to occasional work, and differ from run to run. */
const LEAST = 0.3

/** A record of the log that splits a page of an index also has the entry that did not fit. */
const KINDS = {
  inserts: /^Heap INSERT/,
  updates: /^Heap (?:HOT_)?UPDATE/,
  deletes: /^Heap DELETE/,
  indexEntries: /^Btree (?:INSERT|SPLIT)/,
} as const

function countsOf(rows: readonly LogRow[], pieces: number): TableCounts {
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
