import { expect, test } from 'vitest'
import { ApiError } from '../op/operation.ts'
import { TRY_LIMITS } from '../ports/tries.ts'
import { createTries } from './tries.ts'

const LIMITS = { ...TRY_LIMITS, deviceCode: { triesMax: 2, seconds: 60 } }

test('a caller with too many failures waits until the window since the first failure is over', () => {
  let now = Date.UTC(2025, 9, 13)
  const tries = createTries(() => new Date(now), LIMITS)
  const isRefused = (who: string) => {
    try {
      tries.check('deviceCode', who)
      return false
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError)
      expect((error as ApiError).code).toBe('RATE_LIMITED')
      return (error as ApiError).headers?.['Retry-After']
    }
  }
  tries.failed('deviceCode', 'a')
  expect(isRefused('a')).toBe(false)
  now += 20_000
  tries.failed('deviceCode', 'a')
  expect(isRefused('a')).toBe('40')
  expect(isRefused('b')).toBe(false)
  tries.check('deviceCodesByAddress', 'a')
  now += 39_999
  expect(isRefused('a')).toBe('1')
  now += 1
  expect(isRefused('a')).toBe(false)
  // A new window.
  tries.failed('deviceCode', 'a')
  expect(isRefused('a')).toBe(false)
})
