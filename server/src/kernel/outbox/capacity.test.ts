import { expect, test } from 'vitest'
import { type Candidate, Capacity } from './capacity.ts'
import { LANES, type LaneName } from './lanes.ts'

const WHOLE = LANES.messages.atOnceMax

/** Jobs of these platforms in turn, as the database returns them. */
function due(counts: Readonly<Record<string, number>>, lane: LaneName = 'messages'): Candidate[] {
  const most = Math.max(...Object.values(counts))
  return Array.from({ length: most }, (_, rank) =>
    Object.entries(counts)
      .filter(([, count]) => rank < count)
      .map(([platformId]) => ({ id: `${platformId}-${rank}`, lane, platformId })),
  ).flat()
}

function beginWork(capacity: Capacity, counts: Readonly<Record<string, number>>): Record<string, number> {
  const chosen = capacity.takeFor(due(counts), capacity.offer())
  return Object.fromEntries(
    Object.keys(counts).map((id) => [id, chosen.filter(({ platformId }) => platformId === id).length]),
  )
}

test('a busy platform takes its share of a lane, several platforms share it, and there is always capacity for the next one', () => {
  expect(beginWork(new Capacity(), { a: 500 })).toEqual({ a: WHOLE / LANES.messages.shareOfPlatform })
  const { a, b, c } = beginWork(new Capacity(), { a: 500, b: 500, c: 500 })
  expect(a! - c!).toBeLessThanOrEqual(1)
  expect(b! - c!).toBeLessThanOrEqual(1)
  expect(a! + b! + c!).toBeLessThan(WHOLE * 0.75)
  const capacity = new Capacity()
  for (const id of 'abcdefghij') beginWork(capacity, { [id]: 500 })
  expect(beginWork(capacity, { z: 1 })).toEqual({ z: 1 })
})

test('lanes are independent: capacity taken in one leaves the others free', () => {
  const capacity = new Capacity()
  beginWork(capacity, { a: 500 })
  expect(capacity.takeFor(due({ a: 1 }, 'payments'), capacity.offer())).toHaveLength(1)
})

test('a process works at one file of a platform, and at those of several platforms', () => {
  const capacity = new Capacity()
  expect(capacity.takeFor(due({ a: 5, b: 5, c: 5 }, 'imports'), capacity.offer())).toEqual([
    { id: 'a-0', lane: 'imports', platformId: 'a' },
    { id: 'b-0', lane: 'imports', platformId: 'b' },
    { id: 'c-0', lane: 'imports', platformId: 'c' },
  ])
  expect(capacity.takeForNew('imports', 'd')).toBe(true)
  expect(capacity.takeForNew('main', 'a')).toBe(true)
})

test('a new job waits for older jobs of its platform, and of no other', () => {
  const capacity = new Capacity()
  beginWork(capacity, { a: 500 })
  expect(capacity.takeForNew('messages', 'a')).toBe(false)
  expect(capacity.takeForNew('messages', 'b')).toBe(true)
  capacity.release('messages', 'a')
  expect(capacity.takeForNew('messages', 'a')).toBe(false)
})

test('a platform with more due jobs is searched again once half of its own are done', () => {
  const capacity = new Capacity()
  beginWork(capacity, { a: 60, b: 1 })
  capacity.release('messages', 'b')
  expect(capacity.wantsMore('messages', 'b')).toBe(false)
  let done = 0
  while (!capacity.wantsMore('messages', 'a')) {
    capacity.release('messages', 'a')
    done += 1
  }
  expect(done).toBeGreaterThan(1)
  expect(done).toBeLessThan(WHOLE / LANES.messages.shareOfPlatform)
})

test('however many platforms have jobs that hang, there is room for one whose jobs end soon', {
  tags: 'long',
}, () => {
  const capacity = new Capacity()
  const hanging = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`hangs-${n}`, 500]))
  const look = () => {
    const offer = capacity.offer()
    return capacity.takeFor(
      due(hanging).filter(({ platformId }) => !offer.messages.full.includes(platformId)),
      offer,
    )
  }
  const end = (work: readonly Candidate[], tookMs: number) => {
    for (const { lane, platformId } of work) capacity.releaseAfter(lane, platformId, tookMs)
  }
  // Repeats the search until all of them are known.
  let underWay = look()
  for (let looks = 0; looks < 20; looks++) {
    end(underWay, 10_000)
    underWay = look()
  }
  expect(underWay.length).toBeGreaterThan(WHOLE / 2)
  // The query leaves out jobs that could not start, so its results are of others.
  expect(capacity.offer().messages.full).toEqual(expect.arrayContaining(Object.keys(hanging)))
  expect(beginWork(capacity, { answers: 500 }).answers).toBeGreaterThan(0)
})

/** The number of a full platform's jobs that end, each after this time, before the next search. */
function endedBeforeSearch(tookMs: number): number {
  const capacity = new Capacity()
  while (capacity.takeForNew('payments', 'busy'));
  let ended = 0
  do {
    capacity.releaseAfter('payments', 'busy', tookMs)
    ended += 1
  } while (!capacity.wantsMore('payments', 'busy'))
  return ended
}

test('a full platform is searched again when a good part of its capacity is free, and sooner where its rail is slow', () => {
  const max = LANES.payments.atOnceMax / LANES.payments.shareOfPlatform
  expect(endedBeforeSearch(50)).toBeGreaterThan(max / 4)
  expect(endedBeforeSearch(2_050)).toBeLessThan(max / 10)
  // Not after each: a search is a statement.
  expect(endedBeforeSearch(2_050)).toBeGreaterThan(max / 40)
})
