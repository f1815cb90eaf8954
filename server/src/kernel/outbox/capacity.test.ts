import { expect, test } from 'vitest'
import { type Candidate, Capacity } from './capacity.ts'
import { LANES, type LaneName } from './lanes.ts'

const LANE_CAPACITY = LANES.messages.atOnceMax

/** Lists due jobs of these platforms in turn, as the database returns them. */
function listDueJobs(counts: Readonly<Record<string, number>>, lane: LaneName = 'messages'): Candidate[] {
  const ranks = Math.max(...Object.values(counts))
  return Array.from({ length: ranks }, (_, rank) =>
    Object.entries(counts)
      .filter(([, count]) => rank < count)
      .map(([platformId]) => ({ id: `${platformId}-${rank}`, lane, platformId })),
  ).flat()
}

function startJobs(capacity: Capacity, counts: Readonly<Record<string, number>>): Record<string, number> {
  const started = capacity.takeFor(listDueJobs(counts), capacity.offer())
  return Object.fromEntries(
    Object.keys(counts).map((id) => [id, started.filter(({ platformId }) => platformId === id).length]),
  )
}

test('a busy platform takes only its share of a lane, so there is always capacity for another platform', () => {
  expect(startJobs(new Capacity(), { a: 500 })).toEqual({ a: LANE_CAPACITY / LANES.messages.shareOfPlatform })
  const { a, b, c } = startJobs(new Capacity(), { a: 500, b: 500, c: 500 })
  expect(a! - c!).toBeLessThanOrEqual(1)
  expect(b! - c!).toBeLessThanOrEqual(1)
  expect(a! + b! + c!).toBeLessThan(LANE_CAPACITY * 0.75)
  const capacity = new Capacity()
  for (const id of 'abcdefghij') startJobs(capacity, { [id]: 500 })
  expect(startJobs(capacity, { z: 1 })).toEqual({ z: 1 })
})

test('jobs in one lane take no capacity from the other lanes', () => {
  const capacity = new Capacity()
  startJobs(capacity, { a: 500 })
  expect(capacity.takeFor(listDueJobs({ a: 1 }, 'payments'), capacity.offer())).toHaveLength(1)
})

test('a process imports one file per platform at a time, and files of several platforms in parallel', () => {
  const capacity = new Capacity()
  expect(capacity.takeFor(listDueJobs({ a: 5, b: 5, c: 5 }, 'imports'), capacity.offer())).toEqual([
    { id: 'a-0', lane: 'imports', platformId: 'a' },
    { id: 'b-0', lane: 'imports', platformId: 'b' },
    { id: 'c-0', lane: 'imports', platformId: 'c' },
  ])
  expect(capacity.takeForNew('imports', 'd')).toBe(true)
  expect(capacity.takeForNew('main', 'a')).toBe(true)
})

test('a new job waits for older jobs of its own platform only', () => {
  const capacity = new Capacity()
  startJobs(capacity, { a: 500 })
  expect(capacity.takeForNew('messages', 'a')).toBe(false)
  expect(capacity.takeForNew('messages', 'b')).toBe(true)
  capacity.release('messages', 'a')
  expect(capacity.takeForNew('messages', 'a')).toBe(false)
})

test('more jobs of a busy platform are searched for once half of its running jobs are done', () => {
  const capacity = new Capacity()
  startJobs(capacity, { a: 60, b: 1 })
  capacity.release('messages', 'b')
  expect(capacity.wantsMore('messages', 'b')).toBe(false)
  let done = 0
  while (!capacity.wantsMore('messages', 'a')) {
    capacity.release('messages', 'a')
    done += 1
  }
  expect(done).toBeGreaterThan(1)
  expect(done).toBeLessThan(LANE_CAPACITY / LANES.messages.shareOfPlatform)
})

test('there is capacity for a healthy platform, however many platforms have jobs that hang', {
  tags: 'long',
}, () => {
  const capacity = new Capacity()
  const hanging = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`hangs-${n}`, 500]))
  const search = () => {
    const offer = capacity.offer()
    return capacity.takeFor(
      listDueJobs(hanging).filter(({ platformId }) => !offer.messages.full.includes(platformId)),
      offer,
    )
  }
  const end = (work: readonly Candidate[], tookMs: number) => {
    for (const { lane, platformId } of work) capacity.releaseAfter(lane, platformId, tookMs)
  }
  // Repeats the search until all of them are known.
  let running = search()
  for (let searches = 0; searches < 20; searches++) {
    end(running, 10_000)
    running = search()
  }
  expect(running.length).toBeGreaterThan(LANE_CAPACITY / 2)
  // The query omits the jobs of full platforms, so it finds jobs of other platforms.
  expect(capacity.offer().messages.full).toEqual(expect.arrayContaining(Object.keys(hanging)))
  expect(startJobs(capacity, { healthy: 500 }).healthy).toBeGreaterThan(0)
})

/** Counts the jobs of a full platform that end, each after this time, before the next search. */
function countEndedBeforeSearch(tookMs: number): number {
  const capacity = new Capacity()
  while (capacity.takeForNew('payments', 'busy'));
  let ended = 0
  do {
    capacity.releaseAfter('payments', 'busy', tookMs)
    ended += 1
  } while (!capacity.wantsMore('payments', 'busy'))
  return ended
}

test('more jobs of a full platform are searched for sooner if its rail is slow', () => {
  const max = LANES.payments.atOnceMax / LANES.payments.shareOfPlatform
  expect(countEndedBeforeSearch(50)).toBeGreaterThan(max / 4)
  expect(countEndedBeforeSearch(2_050)).toBeLessThan(max / 10)
  // A search is a statement, so it does not happen after every job.
  expect(countEndedBeforeSearch(2_050)).toBeGreaterThan(max / 40)
})
