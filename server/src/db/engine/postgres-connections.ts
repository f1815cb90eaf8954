import pg from 'pg'
import { NoConnection, wasRefused } from './port.ts'
import { isLostName } from './postgres-statements.ts'

const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 10_000

/** A pool of at most `max` connections, which opens them as they are needed. */
export function newPool(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
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

/** The connections for one kind of statement. */
export class Connections {
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
