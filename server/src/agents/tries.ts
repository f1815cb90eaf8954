import { Lru } from '../crypto/lru.ts'
import { ApiError } from '../operation.ts'

/** Failed tries that are allowed of one who tries, and the time after which they are forgotten. */
export interface TryLimit {
  readonly triesMax: number
  readonly seconds: number
}

/**
 * What may be guessed at: device codes by an address, or by a platform that reads them; one device code by anyone; and
 * tokens of agents.
 */
export const TRY_LIMITS = {
  deviceCodesByAddress: { triesMax: 20, seconds: 15 * 60 },
  deviceCodeReads: { triesMax: 20, seconds: 15 * 60 },
  deviceCode: { triesMax: 5, seconds: 15 * 60 },
  agentTokensByAddress: { triesMax: 100, seconds: 15 * 60 },
} as const satisfies Record<string, TryLimit>

export type TryKind = keyof typeof TRY_LIMITS
export type TryLimits = Readonly<Record<TryKind, TryLimit>>

/** Whoever has failed is remembered up to so many of each kind; a flood of addresses forgets the oldest. */
const REMEMBERED_MAX = 10_000

/** Counts failed tries at secrets, in this process and in real time: what is limited is the machine at the other end. */
export interface Tries {
  /** Error: 429 `RATE_LIMITED` with `Retry-After`, once `who` has failed too often. */
  check(kind: TryKind, who: string): void
  failed(kind: TryKind, who: string): void
}

export function createTries(clock: () => Date, limits: TryLimits = TRY_LIMITS): Tries {
  const failures = new Map<string, Lru<string, { count: number; readonly untilMs: number }>>(
    Object.keys(limits).map((kind) => [kind, new Lru(REMEMBERED_MAX)]),
  )
  const find = (kind: TryKind, who: string) => {
    const found = failures.get(kind)!.get(who)
    return found && found.untilMs > clock().getTime() ? found : undefined
  }
  return {
    check(kind, who) {
      const found = find(kind, who)
      if (!found || found.count < limits[kind].triesMax) return
      const seconds = Math.ceil((found.untilMs - clock().getTime()) / 1000)
      throw new ApiError('RATE_LIMITED', { headers: { 'Retry-After': String(Math.max(seconds, 1)) } })
    },
    failed(kind, who) {
      const found = find(kind, who)
      if (found) found.count += 1
      else
        failures.get(kind)!.set(who, { count: 1, untilMs: clock().getTime() + limits[kind].seconds * 1000 })
    },
  }
}
