import { describe, expect, test } from 'vitest'
import { computeGiveUpTime, computeRetryTime } from './retry-schedule.ts'

const START = new Date('2026-01-01T00:00:00.000Z')

const HOUR_MS = 3600 * 1000

/** An operation on a platform whose clock is an hour ahead of real time. */
const makeOp = (now: Date, byte: number) => ({
  now,
  random: (bytes: number) => new Uint8Array(bytes).fill(byte),
  platform: { clock_offset_ms: BigInt(HOUR_MS) },
})

/** Lists the waits of an event that is never received, in seconds. `byte` replaces the randomness. */
function listWaits(byte: number): number[] {
  const until = computeGiveUpTime(START)
  const waits: number[] = []
  let now = START
  for (let attempts = 1; now < until; attempts++) {
    const next = computeRetryTime(makeOp(now, byte), attempts, until)
    waits.push((next.getTime() - now.getTime()) / 1000)
    now = next
  }
  expect(now).toEqual(until)
  return waits
}

test('waits between webhook attempts double up to half an hour, and the last attempt is after seven days', () => {
  const latest = listWaits(255)
  const earliest = listWaits(0)
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
  const until = computeGiveUpTime(START)

  /** Computes the wait before the second attempt, in seconds. Without the header, it is 2.5. */
  const computeWait = (status: number, retryAfter: string, now = START) =>
    (computeRetryTime(makeOp(now, 0), 1, until, { status, retryAfter }).getTime() - now.getTime()) / 1000

  test.each([
    [429, '120', 120],
    [503, '120', 120],
    [503, new Date(START.getTime() - HOUR_MS + 90_000).toUTCString(), 90],
  ])('Retry-After of a response %i delays the next webhook attempt: %s', (status, text, seconds) => {
    expect(computeWait(status, text)).toBe(seconds)
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
  ])('Retry-After of a response %i never shortens a wait and may be invalid: %s', (status, text) => {
    expect(computeWait(status, text)).toBe(2.5)
  })

  test('Retry-After delays a webhook attempt by at most an hour, and never beyond the end of the attempts', () => {
    for (const text of ['3601', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])
      expect(computeWait(429, text)).toBe(3600)
    expect(computeWait(429, '3600', new Date(until.getTime() - 60_000))).toBe(60)
  })
})
