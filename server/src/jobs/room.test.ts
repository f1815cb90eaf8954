import { expect, test } from 'vitest'
import { LANES, type LaneName } from './lanes.ts'
import { type Candidate, Room } from './room.ts'

const WHOLE = LANES.webhooks.atOnceMax

/** So much work of each of these platforms, in turn, as the database gives it. */
function due(counts: Readonly<Record<string, number>>, lane: LaneName = 'webhooks'): Candidate[] {
  const most = Math.max(...Object.values(counts))
  return Array.from({ length: most }, (_, rank) =>
    Object.entries(counts)
      .filter(([, count]) => rank < count)
      .map(([platformId]) => ({ id: `${platformId}-${rank}`, lane, platformId })),
  ).flat()
}

function begun(room: Room, counts: Readonly<Record<string, number>>): Record<string, number> {
  const chosen = room.takeFor(due(counts), room.offer())
  return Object.fromEntries(
    Object.keys(counts).map((id) => [id, chosen.filter(({ platformId }) => platformId === id).length]),
  )
}

test('one busy platform takes its share of a lane, several share what there is, and there is always some for the next', () => {
  expect(begun(new Room(), { a: 500 })).toEqual({ a: WHOLE / LANES.webhooks.shareOfPlatform })
  const { a, b, c } = begun(new Room(), { a: 500, b: 500, c: 500 })
  expect(a! - c!).toBeLessThanOrEqual(1)
  expect(b! - c!).toBeLessThanOrEqual(1)
  expect(a! + b! + c!).toBeLessThan(WHOLE * 0.75)
  const room = new Room()
  for (const id of 'abcdefghij') begun(room, { [id]: 500 })
  expect(begun(room, { z: 1 })).toEqual({ z: 1 })
})

test("a lane is nobody else's: what is taken of one leaves the others whole", () => {
  const room = new Room()
  begun(room, { a: 500 })
  expect(room.takeFor(due({ a: 1 }, 'questions'), room.offer())).toHaveLength(1)
})

test('new work waits for older work of its platform, and of no other', () => {
  const room = new Room()
  begun(room, { a: 500 })
  expect(room.takeForNew('webhooks', 'a')).toBe(false)
  expect(room.takeForNew('webhooks', 'b')).toBe(true)
  room.release('webhooks', 'a')
  expect(room.takeForNew('webhooks', 'a')).toBe(false)
})

test('a platform that left work behind is looked for again once a good part of its own is done', () => {
  const room = new Room()
  begun(room, { a: 60, b: 1 })
  room.release('webhooks', 'b')
  expect(room.wantsMore('webhooks', 'b')).toBe(false)
  let done = 0
  while (!room.wantsMore('webhooks', 'a')) {
    room.release('webhooks', 'a')
    done += 1
  }
  expect(done).toBeGreaterThan(1)
  expect(done).toBeLessThan(WHOLE / LANES.webhooks.shareOfPlatform)
})
