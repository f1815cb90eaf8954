import { expect, test } from 'vitest'
import { giveUpAt, retryAt } from './retry-schedule.ts'

const BEGUN = new Date('2026-01-01T00:00:00.000Z')

/** The waits, in seconds, of an event that is never received; `byte` is the only randomness. */
function waitsWith(byte: number): number[] {
  const until = giveUpAt(BEGUN)
  const waits: number[] = []
  let now = BEGUN
  for (let attempts = 1; now < until; attempts++) {
    const next = retryAt({ now, random: (bytes) => new Uint8Array(bytes).fill(byte) }, attempts, until)
    waits.push((next.getTime() - now.getTime()) / 1000)
    now = next
  }
  expect(now).toEqual(until)
  return waits
}

test('attempts are twice as far apart each time, half an hour at most, and the last is seven days after the event', () => {
  const latest = waitsWith(255)
  const earliest = waitsWith(0)
  for (const [at, whole] of [5, 10, 20, 40, 80, 160, 320, 640, 1280, 1800, 1800].entries()) {
    expect(earliest[at]).toBe(whole / 2)
    expect(latest[at]).toBeGreaterThan(whole * 0.99)
    expect(latest[at]).toBeLessThan(whole)
  }
  expect(Math.max(...latest)).toBeLessThanOrEqual(1800)
  expect(latest.length).toBeGreaterThan(336)
  expect(earliest.length).toBeLessThan(700)
})
