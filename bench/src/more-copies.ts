import type { Database } from '@countersign/server/db/engine/port'
import {
  copyFee,
  DROP_GROWING_FUNCTIONS,
  GROWING,
  GROWING_FUNCTIONS,
  type Growing,
  NOT_GROWING,
  SUM_BALANCES,
} from './layout.ts'

/** Up to this number all tables that a transfer writes to are filled. */
const WHOLE_MAX = 1_000_000

/** How `count` transfers are stored: `whole` of them in all tables, and in some so many `times` that. */
export function planOf(count: number): { readonly whole: number; readonly times: number } {
  const times = Math.ceil(count / WHOLE_MAX)
  return { whole: Math.ceil(count / times), times }
}

/**
 * Multiplies the transfers that a database has, in the tables that pages of transactions, transfers and the history of accounts read
 * (`GROWING`); each further copy of all of them is as much earlier as they last. Events and idempotency keys stay as many as they
 * are: with them ten million transfers would take more than a hundred gigabytes, and a server forgets keys after 30 days. Foreign
 * keys are not checked. Updates the statistics.
 */
export async function multiplyTransfers(db: Database, times: number): Promise<void> {
  const statements: string[] = []
  for (const one of GROWING) statements.push(await multiplication(db, one, times))
  await fill(db, statements.join('\n'))
}

/** Gives the fees account `count` entries by copies of the only one that it has. Updates the statistics. */
export async function multiplyFee(db: Database, count: number): Promise<void> {
  await fill(db, copyFee(count))
}

async function fill(db: Database, statements: string): Promise<void> {
  await db.script(`
SET LOCAL session_replication_role = replica;
SET LOCAL maintenance_work_mem = '1GB';
${GROWING_FUNCTIONS}
${statements}
${SUM_BALANCES}
${DROP_GROWING_FUNCTIONS}`)
  await db.query('VACUUM (ANALYZE)')
  await db.query('CHECKPOINT')
}

/** The table is truncated in the same transaction, so that it needs no log; its indexes are made at the end, at once. */
async function multiplication(
  db: Database,
  { name, order, changed }: Growing,
  times: number,
): Promise<string> {
  const columns = await db.query<{ name: string }>(
    `SELECT attname::text AS name FROM pg_attribute
     WHERE attrelid = '${name}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
  )
  const indexes = await db.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = '${name}'::regclass
       AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)`,
  )
  const names = columns.rows.map((column) => column.name)
  const stays = NOT_GROWING[name] ?? 'false'
  // The earliest first, so that ids and times come in order.
  const copy = (k: number) => `
INSERT INTO ${name} (${names.join(', ')})
  SELECT ${names.map((column) => changed[column] ?? column).join(', ')}
  FROM (SELECT ${k} AS k, (extract(epoch FROM max(created_at) - min(created_at)) * 1000)::bigint + 1000 AS span_ms
    FROM kept_${name}) AS span, kept_${name};`
  return `
CREATE TEMP TABLE kept_${name} ON COMMIT DROP AS SELECT * FROM ${name} WHERE NOT (${stays}) ORDER BY ${order};
CREATE TEMP TABLE stays_${name} ON COMMIT DROP AS SELECT * FROM ${name} WHERE ${stays};
TRUNCATE ${name} CASCADE;
${indexes.rows.map((index) => `DROP INDEX ${index.name};`).join('\n')}
INSERT INTO ${name} TABLE stays_${name};
${Array.from({ length: times }, (_, n) => copy(times - 1 - n)).join('\n')}
${indexes.rows.map((index) => `${index.definition};`).join('\n')}`
}
