import pg from 'pg'
import type { Database } from './port.ts'
import { Statements } from './postgres-statements.ts'
import { SESSION_OPTIONS } from './session.ts'

/** Connections of one server process when nothing else is said; batches of the committer need one or two of them. */
const POOL_MAX = 10
const CONNECT_TIMEOUT_MS = 10_000
const VERSION_MIN = 140_000

/**
 * PostgreSQL at `url` (`postgres://user:password@host:port/database`). Rejects with one line that names DATABASE_URL,
 * and never the password, when the server cannot be reached or is older than PostgreSQL 14.
 */
export async function openPostgres(url: string, options: { poolMax?: number } = {}): Promise<Database> {
  const { connectionString, place } = readUrl(url)
  const pool = new pg.Pool({
    connectionString,
    max: options.poolMax ?? POOL_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'countersign',
  })
  // The pool replaces a connection that broke while idle; without a listener the event would end the process.
  pool.on('error', () => {})
  try {
    await checkVersion(pool)
  } catch (error) {
    await pool.end()
    throw new Error(`DATABASE_URL: cannot use PostgreSQL at ${place}: ${oneLine(error)}`, { cause: error })
  }
  const statements = new Statements((config) => pool.query(config))
  let closed: Promise<void> | undefined
  return {
    kind: 'postgres',
    query: (sql, parameters) => statements.run(sql, parameters),
    script: async (sql) => {
      // Sent as one simple query, which PostgreSQL runs as one transaction.
      await pool.query(sql)
    },
    close: () => {
      closed ??= pool.end()
      return closed
    },
  }
}

function readUrl(url: string): { connectionString: string; place: string } {
  if (!URL.canParse(url))
    throw new Error('DATABASE_URL: is not an address like postgres://user@host:5432/name')
  const address = new URL(url)
  if (address.protocol !== 'postgres:' && address.protocol !== 'postgresql:') {
    throw new Error(`DATABASE_URL: starts with ${address.protocol}, not with postgres:`)
  }
  const host = address.hostname || address.searchParams.get('host') || 'localhost'
  const settings = [address.searchParams.get('options'), SESSION_OPTIONS]
  address.searchParams.set('options', settings.filter(Boolean).join(' '))
  // URLSearchParams writes a space as +, which pg reads as a plus sign.
  const connectionString = address.href.replace(/\?.*$/, (query) => query.replaceAll('+', '%20'))
  return { connectionString, place: `${host}:${address.port || '5432'}${address.pathname}` }
}

async function checkVersion(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ version: string; number: number }>(
    "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number",
  )
  const server = rows[0]
  if (server !== undefined && server.number < VERSION_MIN) {
    throw new Error(`it is version ${server.version}, and 14 or newer is needed`)
  }
}

function oneLine(error: unknown): string {
  // A host with several addresses gives an AggregateError, whose own message is empty.
  const { message, code } = error as { message?: string; code?: string }
  return (message || code || String(error)).replace(/\s+/g, ' ')
}
