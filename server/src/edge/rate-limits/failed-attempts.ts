import { buildTable, keysOf } from '@countersign/contract/core/objects'
import { Lru } from '../../base/crypto/lru.ts'
import { toCountedAddress } from '../../base/formats/ip-addresses.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import {
  ATTEMPT_LIMITS,
  type AttemptKind,
  type AttemptLimits,
  type FailedAttempts,
} from '../../kernel/ports/failed-attempts.ts'

/** The maximum number of callers remembered per kind of secret. A flood of addresses evicts the oldest. */
const REMEMBERED_MAX = 10_000

function toCountedKey(kind: AttemptKind, caller: string): string {
  return kind.endsWith('ByAddress') ? toCountedAddress(caller) : caller
}

export function createFailedAttempts(
  clock: () => Date,
  limits: AttemptLimits = ATTEMPT_LIMITS,
): FailedAttempts {
  const failures = buildTable(
    keysOf(limits),
    () => new Lru<string, { count: number; readonly untilMs: number }>(REMEMBERED_MAX),
  )
  const find = (kind: AttemptKind, caller: string) => {
    const failure = failures[kind].get(toCountedKey(kind, caller))
    return failure && failure.untilMs > clock().getTime() ? failure : undefined
  }
  return {
    check(kind, caller) {
      const failure = find(kind, caller)
      if (!failure || failure.count < limits[kind].attemptsMax) return
      const seconds = Math.ceil((failure.untilMs - clock().getTime()) / 1000)
      throw new ApiError('RATE_LIMITED', { headers: { 'Retry-After': String(Math.max(seconds, 1)) } })
    },
    recordFailure(kind, caller) {
      const failure = find(kind, caller)
      if (failure) failure.count += 1
      else
        failures[kind].set(toCountedKey(kind, caller), {
          count: 1,
          untilMs: clock().getTime() + limits[kind].seconds * 1000,
        })
    },
  }
}
