import { EVENT_STREAMS_MAX } from '@countersign/contract/events/event-stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Seat, Seats } from './event-stream-seats.ts'

const PLATFORM = 'Platform:1'

/** The seats of one platform, with their callers. */
class Hall {
  readonly #seats = new Seats()
  readonly taken = new Set<Seat>()

  open(owner: string, name = owner): boolean {
    const found = this.#seats.take(PLATFORM, { owner, name })
    if (!found) return false
    found.seat.end = async () => undefined
    if (found.displaced) this.taken.delete(found.displaced)
    this.taken.add(found.seat)
    return true
  }

  countOf(owner: string, name?: string): number {
    return [...this.taken].filter(
      ({ caller }) => caller.owner === owner && (name === undefined || caller.name === name),
    ).length
  }
}

describe('the event streams of a platform', () => {
  test('are all open to one caller while nobody else wants one, and never more than the limit', () => {
    const hall = new Hall()
    for (let n = 0; n < EVENT_STREAMS_MAX; n++) expect(hall.open('one')).toBe(true)
    expect(hall.open('one')).toBe(false)
    expect(hall.taken.size).toBe(EVENT_STREAMS_MAX)
  })

  test.each([1, 2, 9, 10, 11, 33, 99])(
    'let in a caller without a stream although %s others have taken all of them',
    (callers) => {
      const hall = new Hall()
      for (let n = 0; hall.taken.size < EVENT_STREAMS_MAX; n++) hall.open(`caller ${n % callers}`)
      expect(hall.open('late')).toBe(true)
      expect(hall.taken.size).toBe(EVENT_STREAMS_MAX)
    },
  )

  test('give a member with a hundred tokens no more than a member with one', () => {
    const hall = new Hall()
    for (let n = 0; n < EVENT_STREAMS_MAX; n++) hall.open('greedy', `token ${n}`)
    for (let n = 0; n < EVENT_STREAMS_MAX; n++) hall.open('other')
    expect([hall.countOf('greedy'), hall.countOf('other')]).toEqual([50, 50])
  })

  test('are shared by the tokens of a member as by members', () => {
    const hall = new Hall()
    for (let n = 0; n < EVENT_STREAMS_MAX; n++) hall.open('member', 'first')
    for (let n = 0; n < EVENT_STREAMS_MAX; n++) hall.open('member', 'second')
    expect([hall.countOf('member', 'first'), hall.countOf('member', 'second')]).toEqual([50, 50])
  })

  test('go to all who keep asking in equal parts, in whatever order they ask', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 6 }), { minLength: EVENT_STREAMS_MAX, maxLength: 400 }), (asked) => {
        const hall = new Hall()
        for (const one of asked) hall.open(`caller ${one}`)
        const callers = [...new Set(asked)]
        for (let n = 0; n < EVENT_STREAMS_MAX; n++) for (const one of callers) hall.open(`caller ${one}`)
        const counts = callers.map((one) => hall.countOf(`caller ${one}`))
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
        expect(hall.taken.size).toBe(EVENT_STREAMS_MAX)
      }),
      { numRuns: 50 },
    )
  })
})
