import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PacedReads } from './paced-reads.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Changes a noun every 100 ms for a time. Returns when it was read, in seconds from the first change. */
async function recordReads(seconds: number, tookMs: number, signal = new AbortController().signal) {
  const startMs = performance.now()
  const reads: number[] = []
  const paced = new PacedReads(async () => {
    reads.push((performance.now() - startMs) / 1000)
    await new Promise((resolve) => setTimeout(resolve, tookMs))
  }, signal)
  for (let at = 0; at < seconds * 10; at++) {
    paced.hasChanged('transactions')
    await vi.advanceTimersByTimeAsync(100)
  }
  return reads
}

test('constantly changing data is read immediately, then every five seconds', async () => {
  expect(await recordReads(16, 10)).toEqual([0, 5, 10, 15])
})

test('data that takes a second to count is read every fifty seconds, to spare the server', async () => {
  expect(await recordReads(101, 1_000)).toEqual([0, 50, 100])
})

test('a change during a read is read after the pause, and a closed page reads nothing more', async () => {
  const closing = new AbortController()
  let count = 0
  const paced = new PacedReads(async () => {
    count += 1
    if (count === 1) paced.hasChanged('transactions')
  }, closing.signal)
  paced.hasChanged('transactions')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(count).toBe(2)
  paced.hasChanged('transactions')
  closing.abort()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(count).toBe(2)
})
