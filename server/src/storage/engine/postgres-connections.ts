import pg from 'pg'
import { VERSION } from '../../base/settings/version.ts'
import { WRONG_NODE } from './distributed-schema.ts'
import { NoConnection, readSqlState, wasRefused } from './port.ts'
import { isChangedPlan } from './postgres-statements.ts'
import { type Hosts, withOptions } from './postgres-url.ts'

/**
 * `upgrade finish` finds servers of other releases by the version, and `cell list` finds the servers of a
 * cell by the schema.
 */
const applicationName = (schema: string) => `countersign ${VERSION} ${schema}`

const CONNECT_TIMEOUT_MS = 10_000
/** If there are several servers, one that does not respond must not delay the next for long. */
const CONNECT_TIMEOUT_OF_SEVERAL_MS = 3_000
const KEEP_ALIVE_MS = 10_000
/** The time for which no further connections are attempted after PostgreSQL has refused one. */
const REDUCED_MS = 30_000
/** Connections requested together are refused one by one. */
const REDUCTIONS_MAX = 20

interface Limits {
  readonly max: number
  /** Additional session settings. */
  readonly options: string
}

/** Creates a pool of at most `max` connections to the current server, opened as needed. */
function newPool(hosts: Hosts, { max, options }: Limits): pg.Pool {
  class CurrentClient extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super({ ...config, connectionString: withOptions(hosts.current()[1], options) })
    }
  }
  const pool = new pg.Pool({
    Client: CurrentClient as unknown as NonNullable<pg.PoolConfig['Client']>,
    max,
    connectionTimeoutMillis: hosts.count > 1 ? CONNECT_TIMEOUT_OF_SEVERAL_MS : CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // `upgrade finish` looks for servers of other releases by this name.
    application_name: applicationName(hosts.schema),
    ...(hosts.areWritable ? { onConnect: refuseStandby } : {}),
  })
  // A broken connection is replaced and its statement fails. The error event would end the process if it had
  // no listener, both on the pool, for idle connections, and on the connection, while it is in use.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query("SELECT current_setting('transaction_read_only') AS read_only")
  if (rows[0].read_only === 'on') throw new Error('it accepts no writes: it is a standby or read-only')
}

interface Lease {
  readonly client: pg.PoolClient
  giveBack(isUsable: boolean): void
}

/** The connections for one category of statements. */
export class Connections {
  readonly #hosts: Hosts
  readonly #limits: Limits
  #pool: pg.Pool
  #reducedAtMs = Number.NEGATIVE_INFINITY
  /** The connections of the other category, used if PostgreSQL grants this pool none. */
  fallback: Connections | undefined

  constructor(hosts: Hosts, limits: Limits) {
    this.#hosts = hosts
    this.#limits = limits
    this.#pool = newPool(hosts, limits)
  }

  /**
   * Sends a statement. If the database rejects it, the connection is kept, with its prepared statements.
   * After any other error, a changed plan, or a commit on the wrong node, the connection is closed.
   */
  async send(config: pg.QueryConfig): Promise<pg.QueryResult> {
    const { client, giveBack } = await this.#lease()
    let isUsable = true
    try {
      return await client.query(config)
    } catch (error) {
      isUsable = wasRefused(error) && !isChangedPlan(error) && readSqlState(error) !== WRONG_NODE
      throw error
    } finally {
      giveBack(isUsable)
    }
  }

  /**
   * Runs statements as one transaction. After an error the connection is closed, which rolls the transaction
   * back.
   */
  async sendTogether(statements: readonly string[]): Promise<void> {
    const { client, giveBack } = await this.#lease()
    let isUsable = false
    try {
      for (const text of ['BEGIN', ...statements, 'COMMIT']) await client.query(text)
      isUsable = true
    } finally {
      giveBack(isUsable)
    }
  }

  async #lease(): Promise<Lease> {
    try {
      return await this.#connect()
    } catch (error) {
      if (!this.fallback || !(error instanceof Error && isConnectionLimitReached(error.cause))) throw error
      return this.fallback.#connect()
    }
  }

  /**
   * Gets a connection. If PostgreSQL refuses to open another one, waits for an existing one. If a server
   * cannot be reached, tries the others.
   */
  async #connect(): Promise<Lease> {
    if (performance.now() - this.#reducedAtMs > REDUCED_MS) this.#pool.options.max = this.#limits.max
    let reductions = 0
    for (let attempt = 1; ; ) {
      const pool = this.#pool
      const [host] = this.#hosts.current()
      try {
        const client = await pool.connect()
        return { client, giveBack: (isUsable) => this.#release(pool, client, isUsable) }
      } catch (cause) {
        if (isConnectionLimitReached(cause) && pool.totalCount > 0 && reductions++ < REDUCTIONS_MAX) {
          this.#reducedAtMs = performance.now()
          pool.options.max = pool.totalCount
          continue
        }
        this.#hosts.leave(host)
        if (attempt++ >= this.#hosts.count) throw new NoConnection('no connection to the database', { cause })
      }
    }
  }

  #release(pool: pg.Pool, client: pg.PoolClient, isUsable: boolean): void {
    const isOld = pool !== this.#pool
    client.release(!isUsable || isOld)
    if (isOld) endOnceIdle(pool)
  }

  /**
   * Replaces all connections, because their server no longer accepts writes and may return stale reads.
   * Waiting statements get new connections.
   */
  renew(): void {
    const old = this.#pool
    this.#pool = newPool(this.#hosts, this.#limits)
    endOnceIdle(old)
  }

  close(): Promise<void> {
    return this.#pool.end()
  }
}

/** True if PostgreSQL has reached a connection limit: for this role, for this database, or in total. */
function isConnectionLimitReached(error: unknown): boolean {
  return readSqlState(error) === '53300'
}

/** Ending a pool drops waiting requests, so it is ended only once no request waits. */
function endOnceIdle(pool: pg.Pool): void {
  if (pool.waitingCount === 0 && !pool.ending) void pool.end().catch(() => {})
}
