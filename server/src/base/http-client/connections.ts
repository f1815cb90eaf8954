import type { LookupFunction } from 'node:net'
import { TLSSocket } from 'node:tls'
import { Agent, buildConnector, Client, type Dispatcher, Pool } from 'undici'
import { createPublicLookup } from './addresses.ts'

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
/** The fewest requests at the same time that a server with HTTP/2 should permit (RFC 9113, 6.5.2). */
const STREAMS_MAX = 100
/** The caller's signal limits the time of a request. */
const NO_TIMEOUT = 0

/**
 * Pools of keep-alive connections, over HTTP/2 if the server offers it. Every pool has a single reach, so
 * each connection of reach `public` was checked when it was opened.
 */
export class Connections {
  readonly #lookup: LookupFunction
  readonly #ageMsMax: number
  readonly #ca: string | undefined
  #pools = new Map<string, Agent>()
  /** TLS sessions are resumed on every connection that the same connector opens. */
  readonly #connectors = new Map<Reach, buildConnector.connector>()
  #startedMs = performance.now()

  constructor({ lookup = createPublicLookup(), ageMsMax = AGE_MS_MAX, ca }: ConnectionOptions = {}) {
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
    const options = { ...this.#createOptions(reach), connections: connectionsMax }
    const pool = new Agent({
      ...options,
      factory: (origin) => new Pool(origin, { ...options, factory: (host) => new Connection(host, options) }),
    })
    this.#pools.set(key, pool)
    return pool
  }

  /** A connection for a single request to an origin. */
  open(origin: string, reach: Reach): Connection {
    return new Connection(origin, { ...this.#createOptions(reach), pipelining: 0 })
  }

  #createOptions(reach: Reach): ClientOptions {
    return {
      allowH2: true,
      headersTimeout: NO_TIMEOUT,
      bodyTimeout: NO_TIMEOUT,
      keepAliveTimeout: IDLE_MS_MAX,
      keepAliveMaxTimeout: IDLE_MS_MAX,
      connect: this.#findConnector(reach),
    }
  }

  #findConnector(reach: Reach): buildConnector.connector {
    const known = this.#connectors.get(reach)
    if (known) return known
    const connector = buildConnector({
      allowH2: true,
      timeout: CONNECT_MS_MAX,
      ...(this.#ca === undefined ? {} : { ca: this.#ca }),
      ...(reach === 'public' ? { lookup: this.#lookup } : {}),
    })
    this.#connectors.set(reach, connector)
    return connector
  }

  /**
   * Opens new connections for later requests, because one of a pool's is broken. Others finish their
   * requests.
   */
  retire(pool: Dispatcher): void {
    for (const [key, known] of this.#pools) {
      if (known !== pool) continue
      this.#pools.delete(key)
      void known.close()
    }
  }

  /** Closes idle connections. Connections in use finish their requests first. */
  #replacePools(): void {
    for (const pool of this.#pools.values()) void pool.close()
    this.#pools = new Map()
    this.#startedMs = performance.now()
  }
}

type ClientOptions = Omit<Client.Options, 'connect'> & { readonly connect: buildConnector.connector }

/** A connection that opens when it is first used, and reopens after it was closed. */
export class Connection extends Client {
  /** True if it has received a response since it was opened. */
  isUsed = false
  readonly #socket: { isHttp2: boolean }

  constructor(origin: string | URL, { connect, ...options }: ClientOptions) {
    const socket = { isHttp2: false }
    super(origin, {
      ...options,
      connect: (target, done) =>
        connect(target, (...result) => {
          socket.isHttp2 = result[1] instanceof TLSSocket && result[1].alpnProtocol === 'h2'
          done(...result)
        }),
    })
    this.#socket = socket
    const { pipelining } = this
    this.on('connect', () => {
      this.isUsed = false
      this.pipelining = socket.isHttp2 ? STREAMS_MAX : pipelining
    })
  }

  /** True if it carries many requests at the same time. */
  get isMultiplexed(): boolean {
    return this.#socket.isHttp2
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (isTraced(options)) options.onConnection(this)
    return super.dispatch(options, handler)
  }
}

function isTraced(options: Dispatcher.DispatchOptions): options is TracedOptions {
  return 'onConnection' in options
}
