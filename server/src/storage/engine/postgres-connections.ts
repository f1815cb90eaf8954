import pg from 'pg'
import { VERSION } from '../../base/settings/version.ts'
import { WRONG_NODE } from './distributed-schema.ts'
import { NoConnection, sqlState, wasRefused } from './port.ts'
import { isChangedPlan } from './postgres-statements.ts'
import { type Hosts, withOptions } from './postgres-url.ts'

/** `upgrade finish` detects servers of other releases by this version, `cell list` the servers of a cell by the schema. */
const applicationName = (schema: string) => `countersign ${VERSION} ${schema}`

const CONNECT_TIMEOUT_MS = 10_000
/** With several servers, a silent one must not hold up the next. */
const CONNECT_TIMEOUT_OF_SEVERAL_MS = 3_000
const KEEP_ALIVE_MS = 10_000
/** The time without further attempts after PostgreSQL has refused a connection. */
const NARROW_MS = 30_000
/** Connections requested together are refused one after another. */
const NARROWED_MAX = 20

interface Limits {
  readonly max: number
  /** Additional settings of their sessions. */
  readonly options: string
}

/** A pool of at most `max` connections, opened as needed, to the current server. */
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
    // `upgrade finish` looks for servers of another release.
    application_name: applicationName(hosts.schema),
    ...(hosts.areWritable ? { onConnect: refuseStandby } : {}),
  })
  // A broken connection is replaced, and its statement fails. Without listeners, on the pool while the
  // connection is idle and on the connection while it is in use, the event would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query("SELECT current_setting('transaction_read_only') AS read_only")
  if (rows[0].read_only === 'on') throw new Error('it accepts no writes: it is a standby or read-only')
}

interface Lent {
  readonly client: pg.PoolClient
  giveBack(isUsable: boolean): void
}

/** The connections for one kind of statement. */
export class Connections {
  readonly #hosts: Hosts
  readonly #limits: Limits
  #pool: pg.Pool
  #narrowedMs = Number.NEGATIVE_INFINITY
  /** Connections for another kind of statement, which lends one if PostgreSQL grants this pool none. */
  lender: Connections | undefined

  constructor(hosts: Hosts, limits: Limits) {
    this.#hosts = hosts
    this.#limits = limits
    this.#pool = newPool(hosts, limits)
  }

  /**
   * After a refused statement the connection is reused with its prepared statements. After any other error,
   * or if a plan has changed, or a commit ran on the wrong node, it is closed.
   */
  async send(config: pg.QueryConfig): Promise<pg.QueryResult> {
    const { client, giveBack } = await this.#lend()
    let isUsable = true
    try {
      return await client.query(config)
    } catch (error) {
      isUsable = wasRefused(error) && !isChangedPlan(error) && sqlState(error) !== WRONG_NODE
      throw error
    } finally {
      giveBack(isUsable)
    }
  }

  /** Statements as one transaction. After an error the connection is closed, which rolls it back. */
  async sendTogether(statements: readonly string[]): Promise<void> {
    const { client, giveBack } = await this.#lend()
    let isUsable = false
    try {
      for (const text of ['BEGIN', ...statements, 'COMMIT']) await client.query(text)
      isUsable = true
    } finally {
      giveBack(isUsable)
    }
  }

  async #lend(): Promise<Lent> {
    try {
      return await this.#take()
    } catch (error) {
      if (!this.lender || !(error instanceof Error && isWithoutPlace(error.cause))) throw error
      return this.lender.#take()
    }
  }

  /**
   * Waits for a connection. If PostgreSQL grants no further one, waits for an existing one; if a server
   * cannot be reached, tries the others.
   */
  async #take(): Promise<Lent> {
    if (performance.now() - this.#narrowedMs > NARROW_MS) this.#pool.options.max = this.#limits.max
    let narrowed = 0
    for (let tried = 1; ; ) {
      const pool = this.#pool
      const [host] = this.#hosts.current()
      try {
        const client = await pool.connect()
        return { client, giveBack: (isUsable) => this.#giveBack(pool, client, isUsable) }
      } catch (cause) {
        if (isWithoutPlace(cause) && pool.totalCount > 0 && narrowed++ < NARROWED_MAX) {
          this.#narrowedMs = performance.now()
          pool.options.max = pool.totalCount
          continue
        }
        this.#hosts.leave(host)
        if (tried++ >= this.#hosts.count) throw new NoConnection('no connection to the database', { cause })
      }
    }
  }

  #giveBack(pool: pg.Pool, client: pg.PoolClient, isUsable: boolean): void {
    const isOld = pool !== this.#pool
    client.release(!isUsable || isOld)
    if (isOld) endOnceIdle(pool)
  }

  /**
   * Closes all connections, because their server accepts no more writes and its reads may be stale. Waiting
   * statements get new connections.
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

/** True if PostgreSQL has reached its connection limit for this role, this database or in total. */
function isWithoutPlace(error: unknown): boolean {
  return sqlState(error) === '53300'
}

/** A pool that ends drops waiting requests. */
function endOnceIdle(pool: pg.Pool): void {
  if (pool.waitingCount === 0 && !pool.ending) void pool.end().catch(() => {})
}
