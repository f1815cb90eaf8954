import type { LookupFunction } from 'node:net'
import { Agent, Client, type Dispatcher, Pool } from 'undici'
import { publicLookup } from './addresses.ts'

/** `public`: only addresses on the public internet. `any`: also this machine and private networks. */
export type Reach = 'public' | 'any'

/** Requests with the same values share connections. */
export interface PoolKey {
  readonly reach: Reach
  /** The maximum number of open connections to one host. Further requests wait for a free one. */
  readonly connectionsMax: number
  /** Requests of one owner never wait for another owner's requests. */
  readonly owner: string
}

interface ConnectionOptions {
  /** The DNS lookup for reach `public`. */
  readonly lookup?: LookupFunction
  readonly ageMsMax?: number
  /** The certificate authority to trust, instead of Node.js's own list. */
  readonly ca?: string
}

/** The options of a request, with a callback for the connection that sends it. */
export interface TracedOptions extends Dispatcher.DispatchOptions {
  readonly onConnection: (connection: Connection) => void
}

const CONNECT_MS_MAX = 10_000
/** Shorter than the 5 seconds after which many servers close an idle connection. */
const IDLE_MS_MAX = 4_000
/** Host names are resolved again after this time, even if their connections are never idle. */
const AGE_MS_MAX = 60_000
/** The caller's signal limits the time of a request. */
const NO_TIMEOUT = 0

/**
 * Pools of keep-alive connections, over HTTP/2 if the server offers it. Every pool has a single reach, so each
 * connection of reach `public` was checked when it was opened.
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

  /** Closes idle connections. Connections in use finish their requests first. */
  #replacePools(): void {
    for (const pool of this.#pools.values()) void pool.close()
    this.#pools = new Map()
    this.#startedMs = performance.now()
  }
}

/** A connection that opens when it is first used, and reopens after it was closed. */
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
