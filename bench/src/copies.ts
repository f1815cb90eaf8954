import type { Database } from '@countersign/server/db/engine/port'
import { COUNT_EVENTS, SUM_BALANCES } from './layout.ts'
import { digitsOf, type Payer, SEEDED } from './seed.ts'

/** Key of the transfer that is copied. */
export const TEMPLATE_KEY = 'copied-transfer'

/** The second payer has made this number of the transfers, whatever their total. */
export const BUSY_TRANSFERS = 100

/** Tables that are filled in the transaction that truncated them need no log, which saves half of the writes. */
export const COPY_SETTINGS = { wal_level: 'minimal', max_wal_senders: '0' }

/** The time between two transfers: a million of them are younger than the lifetime of idempotency keys. */
const STEP_SECONDS = 1.7

/** The tables that a transfer writes to, and its rows. */
const TABLES: readonly { readonly name: string; readonly rows: string; readonly order: string }[] = [
  { name: 'transactions', rows: 'true', order: 'id' },
  { name: 'ledger_transfers', rows: "cause = 'transaction'", order: 'id' },
  {
    name: 'events',
    rows: `type LIKE 'OUTGOING_PAYMENT.%' OR type = 'INTERNAL_ACCOUNT.BALANCE_UPDATED'`,
    order: 'position',
  },
  { name: 'idempotency_keys', rows: `key = '${TEMPLATE_KEY}'`, order: 'key' },
]

/**
 * Fills a database until it has `count` transfers. It has one at first, that of the first payer, which the server has
 * made and settled. Each further one is a copy: all its rows, with their own ids, references, key and time, from a
 * random account. Events continue their numbers and balances are the sums of their entries, as if the server had made
 * them all; only the balances in the events are those of the first. Foreign keys are not checked during the copy.
 * Updates the statistics.
 */
export async function copyTransfer(
  db: Database,
  payers: readonly Payer[],
  count: number,
  stepSeconds = STEP_SECONDS,
): Promise<void> {
  const insertions: string[] = []
  for (const one of TABLES) insertions.push(await insertion(db, one))
  await db.script(`
SET LOCAL session_replication_role = replica;
${TABLES.map(({ name }) => `CREATE TEMP TABLE kept_${name} ON COMMIT DROP AS TABLE ${name};`).join('\n')}
TRUNCATE ${TABLES.map(({ name }) => name).join(', ')} CASCADE;
${TABLES.map(({ name }) => `INSERT INTO ${name} OVERRIDING SYSTEM VALUE TABLE kept_${name};`).join('\n')}
${plan(payers.length, count - 1, stepSeconds)}
${insertions.join('\n')}
${SUM_BALANCES}
${COUNT_EVENTS}`)
  await db.query('VACUUM (ANALYZE)')
  await db.query('CHECKPOINT')
}

/** What differs between copies: time, payer, and the number among that payer's transfers. */
function plan(payers: number, copies: number, stepSeconds: number): string {
  return `
CREATE TEMP TABLE copies ON COMMIT DROP AS
  SELECT n, payer, row_number() OVER (PARTITION BY payer ORDER BY n) AS k,
    lpad(payer::text, 10, '0') AS payer_id, upper(substr(random, 21)) AS reference,
    to_char(at AT TIME ZONE 'UTC', '${ISO_TIME}') AS at,
    to_char(at AT TIME ZONE 'UTC' + interval '30 days', '${ISO_TIME}') AS expires_at,
    -- The first 34 characters of a UUID of version 7: the last two say the kind.
    substr(ms, 1, 8) || '-' || substr(ms, 9) || '-7' || substr(random, 1, 3) || '-8' || substr(random, 4, 3) || '-'
      || substr(random, 7, 10) AS uuid
  FROM (
    SELECT *, lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS ms, md5(n::text) AS random
    FROM (
      SELECT n, now() - (${copies} - n + 1) * interval '${stepSeconds} s' AS at,
        CASE n % ${Math.max(Math.floor(copies / BUSY_TRANSFERS), 1)} WHEN 0 THEN 2
          ELSE 3 + floor(random() * ${payers - 2})::integer END AS payer
      FROM generate_series(1, ${copies}) AS n) AS timed) AS named
  ORDER BY n;`
}

const ISO_TIME = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'

type Row = Readonly<Record<string, unknown>>

/** The statement that copies the rows of a table. */
async function insertion(db: Database, { name, rows, order }: (typeof TABLES)[number]): Promise<string> {
  const found = await db.query<{ row: Row }>(
    `SELECT to_jsonb(t) AS row FROM ${name} t WHERE ${rows} ORDER BY ${order}`,
  )
  // The database gives an event its place in the feed.
  const columns = await db.query<{ name: string; type: string }>(
    `SELECT attname::text AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = '${name}'::regclass AND attnum > 0 AND attname NOT IN ('position', 'committed_in')`,
  )
  const copies = found.rows.map(({ row }, line) =>
    columns.rows.map(
      (column) => `(${copied(name, row, column.name, line)})::${column.type} AS ${column.name}`,
    ),
  )
  return `
INSERT INTO ${name} (${columns.rows.map((column) => column.name).join(', ')})
  SELECT made.* FROM copies CROSS JOIN LATERAL (
    ${copies.map((values) => `SELECT ${values.join(', ')}`).join('\n    UNION ALL ')}) AS made;`
}

/** The last digits of the ids that each copy has of its own, beside those of its events. */
const COPIED_KINDS = (['Transaction', 'LedgerTransfer'] as const).map(digitsOf).join('|')

/** The texts that differ in each copy, anywhere in a value, with their replacement as SQL. */
const VARYING: readonly { readonly what: RegExp; readonly then: string }[] = [
  { what: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/, then: 'at' },
  { what: new RegExp(`(?<=${SEEDED})\\d{10}`), then: 'payer_id' },
  { what: /(?<=payer-)1\b/, then: 'payer' },
  { what: new RegExp(`[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{10}(?=(?:${COPIED_KINDS})\\b)`), then: 'uuid' },
  { what: /(?<=CS)[0-9A-F]{12}/, then: 'reference' },
  { what: new RegExp(TEMPLATE_KEY), then: `'copy-' || n` },
]
const ANY_VARYING = new RegExp(VARYING.map(({ what }) => `(${what.source})`).join('|'), 'g')

/** A column of a copied row, as SQL of its text; `line` is the row's place among those of its table. */
function copied(name: string, row: Row, column: string, line: number): string {
  const value = row[column]
  if (value === null) return 'NULL'
  if (column === 'expires_at') return 'expires_at'
  if (column === 'digest') return `key_digest(${varied(String(row.scope))}, ${varied(String(row.key))})::text`
  if (name === 'events' && column === 'id')
    return `left(uuid, -2) || '${String(line).padStart(2, '0')}${digitsOf('Event')}'`
  // A transfer has two events of its account, which are numbered on from one transfer to the next.
  if (column === 'sequence' && String(row.object_id).endsWith(digitsOf('InternalAccount')))
    return `2 * (k - 1) + ${value}`
  return varied(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

function varied(text: string): string {
  let sql = ''
  let end = 0
  for (const match of text.matchAll(ANY_VARYING)) {
    const { then } = VARYING[match.slice(1).findIndex((group) => group !== undefined)]!
    sql += `${literal(text.slice(end, match.index))} || (${then}) || `
    end = match.index + match[0].length
  }
  return sql + literal(text.slice(end))
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
