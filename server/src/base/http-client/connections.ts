import { type AgentOptions, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { publicLookup } from './addresses.ts'

/** `public`: only addresses on the public internet. `any`: also this machine and private networks. */
export type Reach = 'public' | 'any'

/** Requests with the same values share connections. */
export interface PoolKey {
  readonly isSecure: boolean
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
}

/** Shorter than the five seconds after which many servers close an idle connection. */
const IDLE_MS_MAX = 4_000
const IDLE_CONNECTIONS_MAX = 256
/** Host names are resolved again after this time, even if their connections are never idle. */
const AGE_MS_MAX = 60_000

/**
 * Pools of keep-alive connections. Every pool has a single reach, so each connection of reach `public` was
 * checked when it was opened.
 */
export class Connections {
  readonly lookup: LookupFunction
  readonly #ageMsMax: number
  #pools = new Map<string, HttpAgent>()
  #startedMs = performance.now()

  constructor({ lookup = publicLookup(), ageMsMax = AGE_MS_MAX }: ConnectionOptions = {}) {
    this.lookup = lookup
    this.#ageMsMax = ageMsMax
  }

  /** The agent that owns the connections for a request. */
  findPool({ isSecure, reach, connectionsMax, owner }: PoolKey): HttpAgent {
    if (performance.now() - this.#startedMs >= this.#ageMsMax) this.#replacePools()
    const key = [isSecure, reach, connectionsMax, owner].join(' ')
    const existing = this.#pools.get(key)
    if (existing) return existing
    const options: AgentOptions = {
      keepAlive: true,
      maxSockets: connectionsMax,
      maxFreeSockets: Math.min(connectionsMax, IDLE_CONNECTIONS_MAX),
      timeout: IDLE_MS_MAX,
    }
    const pool = isSecure ? new HttpsAgent(options) : new HttpAgent(options)
    this.#pools.set(key, pool)
    return pool
  }

  /** Closes idle connections. Busy ones finish their request first. */
  #replacePools(): void {
    for (const { freeSockets } of this.#pools.values())
      for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy()
    this.#pools = new Map()
    this.#startedMs = performance.now()
  }
}
