import { expect, test } from 'vitest'
import { Pace } from './pace.ts'

function createPaceAfter(durationMs: number, count: number, { isMultiplexed = false } = {}): Pace {
  const pace = new Pace()
  for (let n = 0; n < count; n++) pace.recordResponse(durationMs, { isMultiplexed })
  return pace
}

test('an endpoint starts with eight parallel requests, and reaches 32 only by responding', () => {
  expect(new Pace().max).toBe(8)
  expect(createPaceAfter(10_000, 10).max).toBeLessThan(32)
  expect(createPaceAfter(10_000, 10_000).max).toBe(32)
})

test('up to 256 requests queue for a fast endpoint, and none for a slow one', () => {
  expect(createPaceAfter(1, 10_000).max).toBe(256)
  expect(createPaceAfter(20, 10_000).max).toBe(64)
  expect(createPaceAfter(2_000, 10_000).max).toBe(32)
})

test('an endpoint with HTTP/2 gets up to 256 requests at the same time', () => {
  expect(createPaceAfter(10_000, 10_000, { isMultiplexed: true }).max).toBe(256)
})

test('the number of requests grows by one with each response, and after a failure with each round of them', () => {
  expect(createPaceAfter(10_000, 8).max).toBe(16)
  const pace = createPaceAfter(10_000, 8)
  pace.recordFailure()
  for (let n = 0; n < 8; n++) pace.recordResponse(10_000)
  // The ninth response completes the round, because the number grows during it.
  expect(pace.max).toBe(8)
  pace.recordResponse(10_000)
  expect(pace.max).toBe(9)
})

test('each failed delivery halves the number of parallel requests, down to one', () => {
  const pace = createPaceAfter(10_000, 10_000)
  const seen = Array.from({ length: 7 }, () => {
    pace.recordFailure()
    return pace.max
  })
  expect(seen).toEqual([16, 8, 4, 2, 1, 1, 1])
})

test('a series has one event until its endpoint responds, and then twice the number it receives in 50 ms', () => {
  expect(new Pace().seriesMax).toBe(1)
  expect([0, 1, 10, 50, 101].map((ms) => createPaceAfter(ms, 500).seriesMax)).toEqual([128, 101, 11, 3, 1])
})
