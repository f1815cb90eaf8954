import { IS_SENT, nextBeyondCursor } from '../../kernel/outbox/endpoint-feed.ts'
import type { Database } from '../../storage/engine/port.ts'
import { getOnlyRow } from '../../storage/engine/port.ts'
import { MONTHLY, type MonthlyTable } from '../../storage/schema/monthly.ts'
import { LOCK_MS_MAX, type Part, toLowestUuidAt } from '../../storage/schema/months.ts'

/** A detached partition, which is now a separate table or a file. */
export interface Detached {
  readonly name: string
  readonly of_table: MonthlyTable
}

/** A partition whose rows are in a file. */
export interface ArchiveRow extends Detached {
  readonly file: string
  readonly row_count: bigint
  /** The digest in hex. */
  readonly sha256: string
  readonly written_at: Date
}

/** The maximum number of objects per statement. The event feed waits while a statement writes. */
const OBJECTS_MAX = 2_000
/** The maximum number of rows read at a time. */
const ROWS_MAX = 1_000

/** The maximum number of events counted per feed. */
const BEYOND_CURSOR_MAX = 1_000

/** Counts undelivered events older than `before`, among the first thousand of each feed. */
export async function countDue(db: Database, before: Date): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>(
    `SELECT (SELECT count(*) FROM undelivered_events u JOIN webhook_endpoints e ON e.id = u.endpoint_id
         WHERE u.gave_up_at IS NULL AND u.id < $1::uuid AND e.state = 'ENABLED' AND e.deleted_at IS NULL)
       + (SELECT count(*) FROM webhook_endpoints e JOIN platforms p ON p.id = e.platform_id AND p.closed_at IS NULL
          CROSS JOIN LATERAL ${nextBeyondCursor(BEYOND_CURSOR_MAX)}
          WHERE e.state = 'ENABLED' AND e.deleted_at IS NULL AND v.id < $1::uuid AND ${IS_SENT}) AS count`,
    [toLowestUuidAt(before)],
  )
  return Number(getOnlyRow(rows).count)
}

/** Stores the last event number of each object that has events in a partition. Idempotent. */
export async function storeLastSequences(db: Database, { name }: Part): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await db.query<{ last: string | null; count: bigint }>(
      `WITH found AS (
         SELECT object_id, (array_agg(platform_id))[1] AS platform_id, max(sequence) AS last_sequence
         FROM ${name} WHERE object_id > $1::uuid GROUP BY object_id ORDER BY object_id LIMIT $2),
       kept AS (
         INSERT INTO archived_events (object_id, platform_id, last_sequence)
         SELECT object_id, platform_id, last_sequence FROM found
         ON CONFLICT (object_id) DO UPDATE SET last_sequence = greatest(archived_events.last_sequence, excluded.last_sequence))
       SELECT count(*) AS count, (array_agg(object_id::text ORDER BY object_id DESC))[1] AS last FROM found`,
      [after, OBJECTS_MAX],
      { connection: 'long' },
    )
    const { last, count } = getOnlyRow(rows)
    if (last === null || Number(count) < OBJECTS_MAX) return
    after = last
  }
}

/**
 * Detaches a partition from its table and records it, in one transaction. Throws 55P03 if requests hold a
 * lock on the table.
 */
export async function detach(db: Database, { table, name, untilId }: Part, now: Date): Promise<void> {
  await db.script(`
SET LOCAL lock_timeout = ${LOCK_MS_MAX};
ALTER TABLE ${table} DETACH PARTITION ${name};
INSERT INTO archives (name, of_table, until_id, detached_at) VALUES ('${name}', '${table}', '${untilId}', '${now.toISOString()}');`)
}

/** Detached partitions whose rows have not been written to a file yet. */
export async function findUnwritten(db: Database): Promise<Detached[]> {
  const { rows } = await db.query<Detached>(
    'SELECT name, of_table FROM archives WHERE file IS NULL ORDER BY until_id, name',
  )
  return rows
}

export async function findWritten(db: Database): Promise<ArchiveRow[]> {
  const { rows } = await db.query<ArchiveRow>(
    `SELECT name, of_table, file, row_count, encode(sha256, 'hex') AS sha256, written_at
     FROM archives WHERE file IS NOT NULL ORDER BY until_id, name`,
  )
  return rows
}

/** The types of key columns that are not ids. */
const TYPES: Readonly<Record<string, string>> = { attempt: 'integer', created_at: 'timestamptz' }

/**
 * Reads all rows of a detached partition in key order, each as a line of JSON. Events include their complete
 * data.
 */
export async function* readRows(db: Database, { name, of_table }: Detached): AsyncGenerator<string[]> {
  const { primaryKey } = MONTHLY[of_table]
  const keys = primaryKey.split(', ')
  const rowJson =
    of_table === 'events'
      ? `to_jsonb(t) || jsonb_build_object('data', coalesce(t.data,
           (SELECT with_balances(r.text, t.available, t.posted) FROM event_records r WHERE r.digest = t.record)))`
      : 'to_jsonb(t)'
  let after: readonly string[] | undefined
  for (;;) {
    const parameters = keys.map((key, index) => `$${index + 2}::text::${TYPES[key] ?? 'uuid'}`)
    const { rows } = await db.query<{ line: string; key: string[] }>(
      `SELECT (${rowJson})::text AS line, ARRAY[${keys.map((key) => `t.${key}::text`).join(', ')}] AS key FROM ${name} t
       ${after ? `WHERE (${keys.map((key) => `t.${key}`).join(', ')}) > (${parameters.join(', ')})` : ''}
       ORDER BY ${primaryKey} LIMIT $1`,
      [ROWS_MAX, ...(after ?? [])],
      { connection: 'long' },
    )
    if (rows.length > 0) yield rows.map(({ line }) => line)
    if (rows.length < ROWS_MAX) return
    after = rows.at(-1)?.key
  }
}

export async function countRows(db: Database, { name }: Detached): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>(`SELECT count(*) AS count FROM ${name}`, [], {
    connection: 'long',
  })
  return Number(getOnlyRow(rows).count)
}

/** A file with the rows of a partition. */
export interface Written {
  readonly file: string
  readonly rows: number
  /** The digest in hex. */
  readonly sha256: string
}

/** Drops a partition whose rows are in a file, and records the file, in one transaction. */
export async function dropWritten(
  db: Database,
  { name }: Detached,
  { file, rows, sha256 }: Written,
  now: Date,
): Promise<void> {
  await db.script(`
DROP TABLE ${name};
UPDATE archives SET file = '${file}', row_count = ${rows}, sha256 = '\\x${sha256}', written_at = '${now.toISOString()}'
WHERE name = '${name}' AND file IS NULL;`)
}
