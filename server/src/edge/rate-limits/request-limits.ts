import { setTimeout } from 'node:timers/promises'
import { countedAddress } from '../../base/formats/ip-addresses.ts'
import type { RequestLimits as Limits } from '../../base/settings/request-limits.ts'
import type { Actor } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { Database } from '../../storage/engine/port.ts'
import { RequestCounts, type Standing, WINDOW_MS } from './request-counts.ts'
import { exchangeCounts } from './store.ts'

/** A caller that goes on beyond its limit waits for each refusal, so that refusing it costs others next to nothing. */
const REFUSAL_MS = 250
/** The part of a limit from which on servers tell each other: below it they cost the database nothing. */
const TOLD_SHARE = 0.05

/** Of an actor that is limited: whose requests are counted together, and how many there may be. */
interface Limited {
  readonly key: string
  readonly limit: number
}

/** The limits of requests, for all servers on one database together. */
export class RequestLimits {
  readonly #limits: Limits
  readonly #counts = new RequestCounts()
  readonly #clock: () => Date
  readonly #server: string

  /** `server` is a name that no other server has. */
  constructor(limits: Limits, clock: () => Date, server: string) {
    this.#limits = limits
    this.#clock = clock
    this.#server = server
  }

  /** Whether anybody is limited. */
  get areSet(): boolean {
    const { perToken, perPerson, perAddress } = this.#limits
    return perToken > 0 || perPerson > 0 || perAddress > 0
  }

  /** Counts a request of a caller. Undefined where it has no limit. Error: 429 `RATE_LIMITED`, a moment later. */
  async take(actor: Actor): Promise<Standing | undefined> {
    const limited = this.#limitOf(actor)
    return limited && this.#takeOf(limited)
  }

  /** Counts a request without valid credentials. Error: 429 `RATE_LIMITED`, a moment later. */
  async takeAddress(address: string): Promise<Standing | undefined> {
    const limit = this.#limits.perAddress
    return limit === 0 ? undefined : this.#takeOf({ key: `address ${countedAddress(address)}`, limit })
  }

  /** Tells the other servers of callers that use much of their limit, and hears of theirs. */
  async exchange(db: Database): Promise<void> {
    const now = this.#clock()
    const told = this.#counts.toTell((key) => this.#limitAt(key) * TOLD_SHARE, now.getTime())
    if (told.length === 0) return
    const expiresAt = new Date(now.getTime() + 2 * WINDOW_MS)
    for (const heard of await exchangeCounts(db, this.#server, told, expiresAt)) this.#counts.hear(heard)
  }

  async #takeOf({ key, limit }: Limited): Promise<Standing> {
    const standing = this.#counts.take(key, limit, this.#clock().getTime())
    if (standing.isAllowed) return standing
    await setTimeout(REFUSAL_MS)
    throw new ApiError('RATE_LIMITED', {
      message: `More than ${limit} requests in a minute. Wait as long as Retry-After says.`,
      headers: { ...headersOf(standing), 'Retry-After': String(standing.retrySeconds) },
    })
  }

  #limitOf(actor: Actor): Limited | undefined {
    const { perToken, perPerson } = this.#limits
    const limited = (key: string, limit: number) => (limit === 0 ? undefined : { key, limit })
    if (actor.kind === 'token') return limited(`token ${actor.tokenId}`, perToken)
    if (actor.kind === 'agent') return limited(`person ${actor.agentId}`, perPerson)
    if (actor.kind === 'customer') return limited(`person ${actor.customerId}`, perPerson)
    if (actor.kind === 'member') return limited(`person ${actor.memberId}`, perPerson)
    return undefined
  }

  #limitAt(key: string): number {
    const { perToken, perPerson, perAddress } = this.#limits
    if (key.startsWith('token ')) return perToken
    return key.startsWith('person ') ? perPerson : perAddress
  }
}

/** The headers of an answer to a limited caller (RateLimit header fields for HTTP). */
export function headersOf({ limit, remaining, resetSeconds }: Standing): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  }
}
