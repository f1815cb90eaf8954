import pg from 'pg'
import { codeOf, messageOf } from '../../formats/thrown.ts'
import { type Database, isReadOnly, NoConnection, wasRefused } from './port.ts'
import { isLostName, Statements } from './postgres-statements.ts'
import { SESSION_OPTIONS } from './session.ts'

/** Connections of one server process: for short statements, and for the others. */
const BRIEF_MAX = 6
const OTHERS_MAX = 4
const CONNECT_TIMEOUT_MS = 10_000
/** A connection without an answer for this time is closed: its other end may have disappeared silently. */
const ANSWER_TIMEOUT_MS = 15_000
/** The least time between two renewals of all connections: until there is a new primary, each statement asks for one. */
const RENEW_MS_MIN = 500
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
  const others = new Connections(() => openPool(OTHERS_MAX))
  try {
    await checkVersion(others)
  } catch (error) {
    await others.close()
    const cause = error instanceof NoConnection ? error.cause : error
    throw new Error(`DATABASE_URL: cannot use PostgreSQL at ${place}: ${oneLine(cause)}`, { cause })
  }
  const brief = new Connections(() => openPool(BRIEF_MAX))
  const timeoutMs = options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS
  let renewedMs = Number.NEGATIVE_INFINITY
  const renew = () => {
    if (performance.now() - renewedMs < RENEW_MS_MIN) return
    renewedMs = performance.now()
    for (const connections of [brief, others]) connections.renew()
  }
  const statementsOf = (connections: Connections) =>
    new Statements(async (config) => {
      try {
        return await connections.send(config)
      } catch (error) {
        if (isReadOnly(error)) renew()
        throw error
      }
    }, timeoutMs)
  const statements = { brief: statementsOf(brief), others: statementsOf(others) }
  let closed: Promise<unknown> | undefined
  return {
    kind: 'postgres',
    query: (sql, parameters, { isBrief = false } = {}) =>
      (isBrief ? statements.brief : statements.others).run(sql, parameters),
    script: async (sql) => {
      // Sent as one simple query, which PostgreSQL runs as one transaction. A migration takes its time.
      await others.send({ text: sql })
    },
    close: async () => {
      closed ??= Promise.all([brief.close(), others.close()])
      await closed
    },
  }
}

/** The connections for one kind of statement. */
class Connections {
  readonly #open: () => pg.Pool
  #pool: pg.Pool

  constructor(open: () => pg.Pool) {
    this.#open = open
    this.#pool = open()
  }

  /**
   * After a refused statement the connection is reused with its prepared statements. After any other error, or where
   * prepared statements are lost, it is closed.
   */
  async send(config: pg.QueryConfig): Promise<pg.QueryResult> {
    const pool = this.#pool
    const client = await pool.connect().catch((cause) => {
      throw new NoConnection('no connection to the database', { cause })
    })
    let isUsable = true
    try {
      return await client.query(config)
    } catch (error) {
      isUsable = wasRefused(error) && !isLostName(error)
      throw error
    } finally {
      const isOld = pool !== this.#pool
      client.release(!isUsable || isOld)
      if (isOld) endOnceIdle(pool)
    }
  }

  /**
   * Leaves all connections: the server that they lead to can write no more, and what it lets them read may be old. What waits for
   * one gets a new one.
   */
  renew(): void {
    const old = this.#pool
    this.#pool = this.#open()
    endOnceIdle(old)
  }

  close(): Promise<void> {
    return this.#pool.end()
  }
}

/** A pool that ends forgets who waits for a connection. */
function endOnceIdle(pool: pg.Pool): void {
  if (pool.waitingCount === 0 && !pool.ending) void pool.end().catch(() => {})
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

async function checkVersion(connections: Connections): Promise<void> {
  const { rows } = await connections.send({
    text: "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number",
  })
  const server: { version: string; number: number } | undefined = rows[0]
  if (server !== undefined && server.number < VERSION_MIN) {
    throw new Error(`it is version ${server.version}, and 14 or newer is needed`)
  }
}

function oneLine(error: unknown): string {
  // A host with several addresses gives an AggregateError, whose own message is empty.
  return (messageOf(error) || codeOf(error) || String(error)).replace(/\s+/g, ' ')
}
