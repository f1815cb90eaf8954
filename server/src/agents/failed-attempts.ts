import { Lru } from '../crypto/lru.ts'
import { ApiError } from '../op/operation.ts'
import {
  ATTEMPT_LIMITS,
  type AttemptKind,
  type AttemptLimits,
  type FailedAttempts,
} from '../ports/failed-attempts.ts'

/** The number of failed callers remembered per kind; a flood of addresses evicts the oldest. */
const REMEMBERED_MAX = 10_000

export function createFailedAttempts(
  clock: () => Date,
  limits: AttemptLimits = ATTEMPT_LIMITS,
): FailedAttempts {
  const failures = new Map<string, Lru<string, { count: number; readonly untilMs: number }>>(
    Object.keys(limits).map((kind) => [kind, new Lru(REMEMBERED_MAX)]),
  )
  const find = (kind: AttemptKind, who: string) => {
    const found = failures.get(kind)!.get(who)
    return found && found.untilMs > clock().getTime() ? found : undefined
  }
  return {
    check(kind, who) {
      const found = find(kind, who)
      if (!found || found.count < limits[kind].attemptsMax) return
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
