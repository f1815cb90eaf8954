import type { LookupFunction } from 'node:net'
import { Agent, Client, type Dispatcher, Pool } from 'undici'
import { publicLookup } from './addresses.ts'

/** `public`: only addresses on the public internet. `any`: also this machine and private networks. */
export type Reach = 'public' | 'any'

/** Requests with the same values share connections. */
export interface PoolKey {
  readonly reach: Reach
  /** Limit of open connections to one host. Further requests wait for one of them. */
  readonly connectionsMax: number
  /** Requests of one owner never wait for the requests of another. */
  readonly owner: string
}

interface ConnectionOptions {
  /** DNS lookup for reach `public`. */
  readonly lookup?: LookupFunction
  readonly ageMsMax?: number
  /** Certificate authority to trust, instead of those of Node.js. */
  readonly ca?: string
}

/** The options of a request, and who wants to know which connection sends it. */
export interface TracedOptions extends Dispatcher.DispatchOptions {
  readonly onConnection: (connection: Connection) => void
}

const CONNECT_MS_MAX = 10_000
/** Shorter than the 5 seconds after which many servers close an idle connection. */
const IDLE_MS_MAX = 4_000
/** A name is looked up again after this time, even if its connections are never idle. */
const AGE_MS_MAX = 60_000
/** The caller's signal limits the time of a request. */
const NO_TIMEOUT = 0

/**
 * Keep-alive connections. Each pool has connections of one reach, so every connection of reach `public` was
 * checked when it was opened. They speak HTTP/2 if the server offers it.
 */
export class Connections {
  readonly #lookup: LookupFunction
  readonly #ageMsMax: number
  readonly #ca: string | undefined
  #pools = new Map<string, Agent>()
  #startedMs = performance.now()

  constructor({ lookup = publicLookup(), ageMsMax = AGE_MS_MAX, ca }: ConnectionOptions = {}) {
    this.#lookup = lookup
    this.#ageMsMax = ageMsMax
    this.#ca = ca
  }

  /** The pool whose connections a request may use. */
  findPool({ reach, connectionsMax, owner }: PoolKey): Agent {
    if (performance.now() - this.#startedMs >= this.#ageMsMax) this.#replacePools()
    const key = [reach, connectionsMax, owner].join(' ')
    const known = this.#pools.get(key)
    if (known) return known
    const options = { ...this.#options(reach), connections: connectionsMax }
    const pool = new Agent({
      ...options,
      factory: (origin) => new Pool(origin, { ...options, factory: (host) => new Connection(host, options) }),
    })
    this.#pools.set(key, pool)
    return pool
  }

  /** A connection for a single request to an origin. */
  open(origin: string, reach: Reach): Connection {
    return new Connection(origin, { ...this.#options(reach), pipelining: 0 })
  }

  #options(reach: Reach) {
    return {
      allowH2: true,
      headersTimeout: NO_TIMEOUT,
      bodyTimeout: NO_TIMEOUT,
      keepAliveTimeout: IDLE_MS_MAX,
      keepAliveMaxTimeout: IDLE_MS_MAX,
      connect: {
        timeout: CONNECT_MS_MAX,
        ...(this.#ca === undefined ? {} : { ca: this.#ca }),
        ...(reach === 'public' ? { lookup: this.#lookup } : {}),
      },
    } satisfies Agent.Options
  }

  /** Connections in use finish their requests and then close. */
  #replacePools(): void {
    for (const pool of this.#pools.values()) void pool.close()
    this.#pools = new Map()
    this.#startedMs = performance.now()
  }
}

/** A connection, opened when first needed, and again after it was closed. */
export class Connection extends Client {
  /** True if it has received a response since it was opened. */
  isUsed = false

  constructor(origin: string | URL, options: Client.Options) {
    super(origin, options)
    this.on('connect', () => {
      this.isUsed = false
    })
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (isTraced(options)) options.onConnection(this)
    return super.dispatch(options, handler)
  }
}

function isTraced(options: Dispatcher.DispatchOptions): options is TracedOptions {
  return 'onConnection' in options
}
