import { describe, expect, test } from 'vitest'
import { type Attempt, groupAttempts } from './attempts.ts'

const attempt = (nth: number, responseStatus?: number, url = 'https://a.example'): Attempt => ({
  attempt: nth,
  url,
  startedAt: '2026-01-01T00:00:00.000Z',
  durationMs: 5,
  ...(responseStatus === undefined ? { error: 'refused' } : { responseStatus }),
})

describe('delivery attempts', () => {
  test('with the same result in a row share one line, and the successful one has its own', () => {
    const failed = Array.from({ length: 100 }, (_, at) => attempt(at + 1, 500))
    const groups = groupAttempts([...failed, attempt(101, 200)])
    expect(groups.map(({ result, attempts, isReceived }) => [result, attempts.length, isReceived])).toEqual([
      ['Response 500', 100, false],
      ['Response 200', 1, true],
    ])
  })

  test('at another address, or without a response, are not folded into the previous line', () => {
    const groups = groupAttempts([
      attempt(1, 500),
      attempt(2, 500, 'https://b.example'),
      attempt(3),
      attempt(4),
      attempt(5, 409),
    ])
    expect(groups.map(({ attempts }) => attempts.length)).toEqual([1, 1, 2, 1])
    expect(groups.at(-1)?.isReceived).toBe(true)
  })
})
