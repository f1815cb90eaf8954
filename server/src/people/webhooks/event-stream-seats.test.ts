import { EVENT_STREAMS_MAX } from '@countersign/contract/events/event-stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type StreamSlot, StreamSlots } from './event-stream-seats.ts'

const PLATFORM = 'Platform:1'

/** The stream slots of one platform, with their callers. */
class PlatformSlots {
  readonly #slots = new StreamSlots()
  readonly taken = new Set<StreamSlot>()

  open(owner: string, name = owner): boolean {
    const result = this.#slots.take(PLATFORM, { owner, name })
    if (!result) return false
    result.slot.end = async () => undefined
    if (result.displaced) this.taken.delete(result.displaced)
    this.taken.add(result.slot)
    return true
  }

  count(owner: string, name?: string): number {
    return [...this.taken].filter(
      ({ caller }) => caller.owner === owner && (name === undefined || caller.name === name),
    ).length
  }
}

describe('the event streams of a platform', () => {
  test('one caller can use all event streams of a platform while nobody else needs one', () => {
    const platformSlots = new PlatformSlots()
    for (let n = 0; n < EVENT_STREAMS_MAX; n++) expect(platformSlots.open('one')).toBe(true)
    expect(platformSlots.open('one')).toBe(false)
    expect(platformSlots.taken.size).toBe(EVENT_STREAMS_MAX)
  })

  test.each([1, 2, 9, 10, 11, 33, 99])(
    'a caller without an event stream gets one although %s others use all of them',
    (callers) => {
      const platformSlots = new PlatformSlots()
      for (let n = 0; platformSlots.taken.size < EVENT_STREAMS_MAX; n++)
        platformSlots.open(`caller ${n % callers}`)
      expect(platformSlots.open('late')).toBe(true)
      expect(platformSlots.taken.size).toBe(EVENT_STREAMS_MAX)
    },
  )

  test('a member with a hundred tokens gets no more event streams than a member with one', () => {
    const platformSlots = new PlatformSlots()
    for (let n = 0; n < EVENT_STREAMS_MAX; n++) platformSlots.open('greedy', `token ${n}`)
    for (let n = 0; n < EVENT_STREAMS_MAX; n++) platformSlots.open('other')
    expect([platformSlots.count('greedy'), platformSlots.count('other')]).toEqual([50, 50])
  })

  test('the tokens of one member share its event streams equally', () => {
    const platformSlots = new PlatformSlots()
    for (let n = 0; n < EVENT_STREAMS_MAX; n++) platformSlots.open('member', 'first')
    for (let n = 0; n < EVENT_STREAMS_MAX; n++) platformSlots.open('member', 'second')
    expect([platformSlots.count('member', 'first'), platformSlots.count('member', 'second')]).toEqual([
      50, 50,
    ])
  })

  test('callers that keep requesting event streams end with equal shares, in any order of requests', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 6 }), { minLength: EVENT_STREAMS_MAX, maxLength: 400 }),
        (requests) => {
          const platformSlots = new PlatformSlots()
          for (const caller of requests) platformSlots.open(`caller ${caller}`)
          const callers = [...new Set(requests)]
          for (let n = 0; n < EVENT_STREAMS_MAX; n++)
            for (const caller of callers) platformSlots.open(`caller ${caller}`)
          const counts = callers.map((caller) => platformSlots.count(`caller ${caller}`))
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
          expect(platformSlots.taken.size).toBe(EVENT_STREAMS_MAX)
        },
      ),
      { numRuns: 50 },
    )
  })
})
