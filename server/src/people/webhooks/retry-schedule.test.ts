import { describe, expect, test } from 'vitest'
import { giveUpAt, retryAt } from './retry-schedule.ts'

const BEGUN = new Date('2026-01-01T00:00:00.000Z')

const HOUR_MS = 3600 * 1000

/** An operation on a platform whose clock is an hour ahead of real time. */
const opAt = (now: Date, byte: number) => ({
  now,
  random: (bytes: number) => new Uint8Array(bytes).fill(byte),
  platform: { clock_offset_ms: BigInt(HOUR_MS) },
})

/** The waits of an event that is never received, in seconds. `byte` replaces the randomness. */
function waitsWith(byte: number): number[] {
  const until = giveUpAt(BEGUN)
  const waits: number[] = []
  let now = BEGUN
  for (let attempts = 1; now < until; attempts++) {
    const next = retryAt(opAt(now, byte), attempts, until)
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

describe('Retry-After', () => {
  const until = giveUpAt(BEGUN)

  /** The wait before the second attempt, in seconds. Without the header it is 2.5. */
  const waitFor = (status: number, retryAfter: string, now = BEGUN) =>
    (retryAt(opAt(now, 0), 1, until, { status, retryAfter }).getTime() - now.getTime()) / 1000

  test.each([
    [429, '120', 120],
    [503, '120', 120],
    [503, new Date(BEGUN.getTime() - HOUR_MS + 90_000).toUTCString(), 90],
  ])('of a response %i delays the next attempt: %s', (status, text, seconds) => {
    expect(waitFor(status, text)).toBe(seconds)
  })

  test.each([
    [500, '120'],
    [200, '120'],
    [429, '0'],
    [429, '1'],
    [429, 'soon'],
    [429, '-5'],
    [429, '1e9'],
    [429, ''],
    [429, 'Wed, 21 Oct 2015 07:28:00 GMT'],
  ])('of a response %i shortens no wait and may be nonsense: %s', (status, text) => {
    expect(waitFor(status, text)).toBe(2.5)
  })

  test('delays an attempt by an hour at most, and never beyond the end of the attempts', () => {
    for (const text of ['3601', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])
      expect(waitFor(429, text)).toBe(3600)
    expect(waitFor(429, '3600', new Date(until.getTime() - 60_000))).toBe(60)
  })
})
