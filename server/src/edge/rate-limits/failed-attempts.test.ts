import { expect, test } from 'vitest'
import { ApiError } from '../../kernel/operation/operation.ts'
import { ATTEMPT_LIMITS } from '../../kernel/ports/failed-attempts.ts'
import { createFailedAttempts } from './failed-attempts.ts'

const LIMITS = { ...ATTEMPT_LIMITS, deviceCode: { attemptsMax: 2, seconds: 60 } }

test('a caller with too many failed attempts is refused until the window since the first failure ends', () => {
  let now = Date.UTC(2025, 9, 13)
  const failed = createFailedAttempts(() => new Date(now), LIMITS)
  const isRefused = (caller: string) => {
    try {
      failed.check('deviceCode', caller)
      return false
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError)
      expect((error as ApiError).code).toBe('RATE_LIMITED')
      return (error as ApiError).headers?.['Retry-After']
    }
  }
  failed.recordFailure('deviceCode', 'a')
  expect(isRefused('a')).toBe(false)
  now += 20_000
  failed.recordFailure('deviceCode', 'a')
  expect(isRefused('a')).toBe('40')
  expect(isRefused('b')).toBe(false)
  failed.check('deviceCodesByAddress', 'a')
  now += 39_999
  expect(isRefused('a')).toBe('1')
  now += 1
  expect(isRefused('a')).toBe(false)
  // A new window.
  failed.recordFailure('deviceCode', 'a')
  expect(isRefused('a')).toBe(false)
})
