import pg from 'pg'
import { codeOf, messageOf } from '../../formats/thrown.ts'
import { type Database, NoConnection, wasRefused } from './port.ts'
import { isLostName, Statements } from './postgres-statements.ts'
import { SESSION_OPTIONS } from './session.ts'

/** Connections of one server process: for short statements, and for the others. */
const BRIEF_MAX = 6
const OTHERS_MAX = 4
const CONNECT_TIMEOUT_MS = 10_000
/** A connection without an answer for this time is closed: its other end may have disappeared silently. */
const ANSWER_TIMEOUT_MS = 15_000
const KEEP_ALIVE_MS = 10_000
const VERSION_MIN = 140_000

/**
 * PostgreSQL at `url` (`postgres://user:password@host:port/database`). Rejects with one line that names DATABASE_URL,
 * and never the password, when the server cannot be reached or is older than PostgreSQL 14.
 */
export async function openPostgres(
  url: string,
  options: { poolMax?: number; answerTimeoutMs?: number } = {},
): Promise<Database> {
  const { connectionString, place } = readUrl(url)
  const openPool = (max: number) => {
    const pool = new pg.Pool({
      connectionString,
      max: options.poolMax ?? max,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      application_name: 'countersign',
    })
    // A broken connection is replaced, and its statement fails. Without a listener, on the pool while it is idle and on
    // the connection while it is not, the event would end the process.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }
  const others = openPool(OTHERS_MAX)
  try {
    await checkVersion(others)
  } catch (error) {
    await others.end()
    throw new Error(`DATABASE_URL: cannot use PostgreSQL at ${place}: ${oneLine(error)}`, { cause: error })
  }
  const brief = openPool(BRIEF_MAX)
  const timeoutMs = options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS
  const statementsOf = (pool: pg.Pool) => new Statements((config) => send(pool, config), timeoutMs)
  const statements = { brief: statementsOf(brief), others: statementsOf(others) }
  let closed: Promise<unknown> | undefined
  return {
    kind: 'postgres',
    query: (sql, parameters, { isBrief = false } = {}) =>
      (isBrief ? statements.brief : statements.others).run(sql, parameters),
    script: async (sql) => {
      // Sent as one simple query, which PostgreSQL runs as one transaction. A migration takes its time.
      await others.query(sql)
    },
    close: async () => {
      closed ??= Promise.all([brief.end(), others.end()])
      await closed
    },
  }
}

/**
 * After a refused statement the connection is reused with its prepared statements. After any other error, or where
 * prepared statements are lost, it is closed.
 */
async function send(pool: pg.Pool, config: pg.QueryConfig): Promise<pg.QueryResult> {
  const client = await pool.connect().catch((cause) => {
    throw new NoConnection('no connection to the database', { cause })
  })
  try {
    const result = await client.query(config)
    client.release()
    return result
  } catch (error) {
    client.release(!wasRefused(error) || isLostName(error))
    throw error
  }
}

function readUrl(url: string): { connectionString: string; place: string } {
  if (!URL.canParse(url))
    throw new Error('DATABASE_URL must be an address like postgres://user@host:5432/name')
  const address = new URL(url)
  if (address.protocol !== 'postgres:' && address.protocol !== 'postgresql:') {
    throw new Error(`DATABASE_URL must start with postgres:, not with ${address.protocol}`)
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
  return (messageOf(error) || codeOf(error) || String(error)).replace(/\s+/g, ' ')
}
