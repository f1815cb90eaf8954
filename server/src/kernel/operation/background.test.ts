import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runInBackground, Workers } from './background.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const MINUTE_MS = 60_000

test.each([
  ['hangs', () => new Promise<never>(() => {})],
  ['fails each time', () => Promise.reject(new Error('down'))],
] as const)('a worker whose run %s is reported as stopped after its limit', async (_, fault) => {
  let isFaulty = false
  const workers = new Workers()
  workers.add(
    runInBackground(
      MINUTE_MS,
      async () => (isFaulty ? fault() : undefined),
      () => {},
    ),
    undefined,
    'a worker',
  )
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS)
  const [healthy] = workers.states()
  expect(healthy).toMatchObject({ name: 'a worker', limitMs: 5 * MINUTE_MS })
  expect(healthy?.quietMs).toBeLessThanOrEqual(MINUTE_MS)
  isFaulty = true
  await vi.advanceTimersByTimeAsync(6 * MINUTE_MS)
  const [stopped] = workers.states()
  expect(stopped?.quietMs).toBeGreaterThan(5 * MINUTE_MS)
})

test('a worker is reported as stopped after three intervals, and is not monitored without a name', () => {
  const workers = new Workers()
  const slow = runInBackground(
    10 * MINUTE_MS,
    async () => {},
    () => {},
  )
  workers.add(slow, undefined, 'slow')
  workers.add(slow)
  expect(workers.states()).toEqual([{ name: 'slow', quietMs: 0, limitMs: 30 * MINUTE_MS }])
})
