import { setTimeout } from 'node:timers/promises'
import { toCountedAddress } from '../../base/formats/ip-addresses.ts'
import type { RequestLimits as Limits } from '../../base/settings/request-limits.ts'
import type { Actor } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { Database } from '../../storage/engine/port.ts'
import { RequestCounts, type Standing, WINDOW_MS } from './request-counts.ts'
import { exchangeCounts } from './store.ts'

/** Refusals are delayed, so that a caller beyond its limit costs almost nothing. */
const REFUSAL_MS = 250
/** Servers report counts to each other from this share of a limit. Below it they cause no database load. */
const REPORTED_SHARE = 0.05

/** The key under which an actor's requests are counted, and its limit. */
interface Limited {
  readonly key: string
  readonly limit: number
}

/** Request limits that apply across all servers of one database. */
export class RequestLimits {
  readonly #limits: Limits
  readonly #counts = new RequestCounts()
  readonly #clock: () => Date
  readonly #server: string

  /** `server` is a unique name of this server. */
  constructor(limits: Limits, clock: () => Date, server: string) {
    this.#limits = limits
    this.#clock = clock
    this.#server = server
  }

  /** True if any limit is set. */
  get areSet(): boolean {
    const { perToken, perPerson, perAddress } = this.#limits
    return perToken > 0 || perPerson > 0 || perAddress > 0
  }

  /**
   * Counts a request of a caller. Undefined if the caller has no limit. Throws 429 `RATE_LIMITED` after a
   * short delay.
   */
  async take(actor: Actor): Promise<Standing | undefined> {
    const limited = this.#findLimit(actor)
    return limited && this.#takeLimited(limited)
  }

  /** Counts a request without valid credentials. Throws 429 `RATE_LIMITED` after a short delay. */
  async takeAddress(address: string): Promise<Standing | undefined> {
    const limit = this.#limits.perAddress
    return limit === 0 ? undefined : this.#takeLimited({ key: `address ${toCountedAddress(address)}`, limit })
  }

  /** Exchanges the counts of callers close to their limit with other servers. */
  async exchange(db: Database): Promise<void> {
    const now = this.#clock()
    const reports = this.#counts.listCountsToReport(
      (key) => this.#getLimit(key) * REPORTED_SHARE,
      now.getTime(),
    )
    if (reports.length === 0) return
    const expiresAt = new Date(now.getTime() + 2 * WINDOW_MS)
    for (const report of await exchangeCounts(db, this.#server, reports, expiresAt))
      this.#counts.addReport(report)
  }

  async #takeLimited({ key, limit }: Limited): Promise<Standing> {
    const standing = this.#counts.take(key, limit, this.#clock().getTime())
    if (standing.isAllowed) return standing
    await setTimeout(REFUSAL_MS)
    throw new ApiError('RATE_LIMITED', {
      message: `The limit of ${limit} requests per minute is exceeded. Wait for the time in Retry-After.`,
      headers: { ...toRateLimitHeaders(standing), 'Retry-After': String(standing.retrySeconds) },
    })
  }

  #findLimit(actor: Actor): Limited | undefined {
    const { perToken, perPerson } = this.#limits
    const limited = (key: string, limit: number) => (limit === 0 ? undefined : { key, limit })
    if (actor.kind === 'token') return limited(`token ${actor.tokenId}`, perToken)
    if (actor.kind === 'agent') return limited(`person ${actor.agentId}`, perPerson)
    if (actor.kind === 'customer') return limited(`person ${actor.customerId}`, perPerson)
    if (actor.kind === 'member') return limited(`person ${actor.memberId}`, perPerson)
    return undefined
  }

  #getLimit(key: string): number {
    const { perToken, perPerson, perAddress } = this.#limits
    if (key.startsWith('token ')) return perToken
    return key.startsWith('person ') ? perPerson : perAddress
  }
}

/** The RateLimit response headers for a caller with a limit. */
export function toRateLimitHeaders({ limit, remaining, resetSeconds }: Standing): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  }
}
