import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FeedEvent, type Pending, SendingOrder } from './sending-order.ts'

const BALANCE = 'INTERNAL_ACCOUNT.BALANCE_UPDATED'
const START = new Date('2026-01-01T00:00:00Z')

/** The next action of the endpoint or of the sending process. */
const STEP = fc.record({
  by: fc.constantFrom('read', 'read', 'send', 'send', 'send', 'record', 'record', 'crash', 'probe'),
  outcome: fc.constantFrom('received', 'received', 'failed', 'gaveUp'),
  pick: fc.nat(30),
  /**
   * The maximum number of following events in a series, and the number of those sent before the series ends.
   */
  following: fc.nat(3),
  sent: fc.nat(3),
})

type Step = ReturnType<typeof STEP.generate>['value']

/** An event feed about a few objects. */
const FEED = fc.array(fc.record({ object: fc.nat(3), isBalance: fc.boolean() }), {
  minLength: 1,
  maxLength: 20,
  size: 'max',
})

interface Play {
  readonly feed: readonly { readonly object: number; readonly isBalance: boolean }[]
  readonly steps: readonly Step[]
  readonly latestBalanceOnly: boolean
}

const PLAY: fc.Arbitrary<Play> = fc.record({
  feed: FEED,
  steps: fc.array(STEP, { maxLength: 150, size: 'max' }),
  latestBalanceOnly: fc.boolean(),
})

/** An endpoint, the database that records its progress, and a sending process that may crash. */
class World {
  readonly events: readonly FeedEvent[]
  readonly received: FeedEvent[] = []
  readonly gaveUp = new Set<string>()
  /** Series of events of one object that were sent and have no outcome yet. */
  inFlight: (readonly [Pending, ...Pending[]])[] = []
  readonly #latestBalanceOnly: boolean
  #stored: { at: number; failures: Map<string, Pending> } = { at: 0, failures: new Map() }
  #order: SendingOrder<FeedEvent>
  #read = 0
  /** The events received from this process since it started, each once. */
  readonly #once = new Set<string>()
  #now = START

  constructor({ feed, latestBalanceOnly }: Play) {
    this.#latestBalanceOnly = latestBalanceOnly
    this.events = feed.map(({ object, isBalance }, at) => ({
      id: `Event:${at + 1}`,
      object_id: `Object:${object}`,
      type: isBalance ? BALANCE : 'CARD.STATE_CHANGE',
      committed_in: String(at + 1),
      position: 0n,
    }))
    this.#order = new SendingOrder(this.#cursor(), latestBalanceOnly)
  }

  step({ by, outcome, pick, following, sent }: Step): void {
    this.#now = new Date(this.#now.getTime() + 1_000)
    if (by === 'read') this.#readSome(1 + (pick % 5))
    else if (by === 'crash') this.#crash()
    else if (by === 'record') this.record()
    else if (by === 'probe' && this.inFlight.length === 0) this.#start(this.#order.takeProbe())
    else if (this.inFlight.length > 0) this.#end(pick, outcome, sent)
    else for (const pending of this.#order.take(this.#now, 3)) this.#start(pending, following)
  }

  /** Reads and sends everything; the endpoint receives all of it. */
  finish(): void {
    for (let round = 0; round < 500; round++) {
      this.#now = new Date(this.#now.getTime() + 3_600_000)
      this.#readSome(10)
      for (const pending of this.#order.take(this.#now, 10)) this.#start(pending)
      while (this.inFlight.length > 0) this.#end(0, 'received')
    }
    this.record()
  }

  record(): void {
    const { cursor, noted, received } = this.#order.takeChanges()
    this.#stored.at = Number(cursor.committed_in)
    for (const pending of noted) this.#stored.failures.set(pending.event.id, { ...pending })
    for (const id of received) this.#stored.failures.delete(id)
    // A process finds due events only by these times.
    const firsts = new Map(
      this.#pending()
        .reverse()
        .map((one) => [one.event.object_id, one] as const),
    )
    for (const { event, dueAt } of firsts.values()) expect(dueAt, event.id).toBeInstanceOf(Date)
  }

  /** Lists events before the cursor that were neither received, replaced, given up nor stored as failures. */
  get lostEvents(): FeedEvent[] {
    const isDone = (event: FeedEvent) =>
      this.received.includes(event) || this.gaveUp.has(event.id) || this.#isReplaced(event)
    return this.events
      .slice(0, this.#stored.at)
      .filter((event) => !isDone(event) && !this.#stored.failures.has(event.id))
  }

  /** Lists the stored failures that were not given up. */
  get storedFailures(): string[] {
    return this.#pending().map(({ event }) => event.id)
  }

  get storedAt(): number {
    return this.#stored.at
  }

  #isReplaced(event: FeedEvent): boolean {
    if (!this.#latestBalanceOnly || event.type !== BALANCE) return false
    return this.events
      .slice(this.events.indexOf(event) + 1)
      .some(({ object_id, type }) => object_id === event.object_id && type === BALANCE)
  }

  #start(pending: Pending | undefined, following = 0): void {
    if (!pending) return
    expect(this.inFlight.map(([{ event }]) => event.object_id)).not.toContain(pending.event.object_id)
    const mayFollow = ({ committed_in }: FeedEvent) => Number(committed_in) % 5 > 0
    this.inFlight.push([pending, ...this.#order.takeFollowing(pending, following, mayFollow)])
  }

  /** Ends a series with an outcome for one event, after `sent` others were received. */
  #end(pick: number, outcome: Step['outcome'], sent = Number.POSITIVE_INFINITY): void {
    const [series] = this.inFlight.splice(pick % this.inFlight.length, 1)
    if (!series) return
    const last = Math.min(sent, series.length) - 1
    this.#order.putBack(series.slice(last + 1))
    for (const [n, pending] of series.slice(0, last + 1).entries())
      this.#endOne(pending, n < last ? 'received' : outcome)
  }

  #endOne(pending: Pending, outcome: Step['outcome']): void {
    const later = new Date(this.#now.getTime() + 5_000)
    if (outcome === 'received') {
      expect(this.#once).not.toContain(pending.event.id)
      this.#once.add(pending.event.id)
      this.received.push(pending.event)
      this.#order.markReceived(pending, this.#now)
    } else if (outcome === 'failed') this.#order.markFailed(pending, '500', this.#now, later)
    else {
      this.gaveUp.add(pending.event.id)
      this.#order.markGivenUp(pending, '500', this.#now)
    }
  }

  #readSome(count: number): void {
    for (const event of this.events.slice(this.#read, this.#read + count)) this.#order.add(event)
    this.#read = Math.min(this.events.length, this.#read + count)
  }

  /** Requests in progress arrive or get lost, without a recorded outcome. */
  #crash(): void {
    for (const [{ event }] of this.inFlight.splice(0))
      if (Number(event.committed_in) % 2) this.received.push(event)
    this.#read = this.#stored.at
    this.#once.clear()
    this.#order = new SendingOrder(this.#cursor(), this.#latestBalanceOnly, this.#pending())
  }

  /** The stored failures that were not given up, in feed order. */
  #pending(): Pending[] {
    return [...this.#stored.failures.values()]
      .filter(({ gaveUpAt }) => !gaveUpAt)
      .sort((a, b) => Number(a.event.committed_in) - Number(b.event.committed_in))
  }

  #cursor() {
    return { committed_in: String(this.#stored.at), position: 0n }
  }
}

function playSteps(play: Play): World {
  const world = new World(play)
  for (const step of play.steps) {
    world.step(step)
    expect(world.lostEvents).toEqual([])
  }
  return world
}

test('every event is received at least once or given up, even if attempts fail and processes crash', {
  tags: 'long',
}, () => {
  fc.assert(
    fc.property(PLAY, (play) => {
      const world = playSteps(play)
      world.finish()
      expect(world.lostEvents).toEqual([])
      expect(world.storedAt).toBe(world.events.length)
      expect(world.storedFailures).toEqual([])
    }),
    { numRuns: 200 },
  )
})

test('no event is first sent before earlier events of its object were received or given up', () => {
  fc.assert(
    fc.property(PLAY, (play) => {
      const world = playSteps({ ...play, latestBalanceOnly: false })
      world.finish()
      const seen = new Set<string>()
      for (const event of world.received) {
        const earlier = world.events
          .slice(0, world.events.indexOf(event))
          .filter(({ object_id, id }) => object_id === event.object_id && !world.gaveUp.has(id))
        expect(earlier.filter(({ id }) => !seen.has(id))).toEqual([])
        seen.add(event.id)
      }
    }),
    { numRuns: 200 },
  )
})

test('an endpoint that wants only the latest balances receives the latest balance of each account', () => {
  fc.assert(
    fc.property(PLAY, (play) => {
      const world = playSteps({ ...play, latestBalanceOnly: true })
      world.finish()
      const latest = new Map(
        world.events.filter(({ type }) => type === BALANCE).map((event) => [event.object_id, event] as const),
      )
      for (const event of latest.values())
        expect(world.received.includes(event) || world.gaveUp.has(event.id)).toBe(true)
    }),
    { numRuns: 150 },
  )
})

test('events that are received immediately store no failures, and the cursor passes all of them', () => {
  const order = new SendingOrder<FeedEvent>({ committed_in: '0', position: 0n }, false)
  const events = Array.from({ length: 100 }, (_, at) => ({
    id: `Event:${at}`,
    object_id: `Object:${at % 7}`,
    type: BALANCE,
    committed_in: String(at + 1),
    position: 1n,
  })) satisfies FeedEvent[]
  for (const event of events) order.add(event)
  for (let taken = order.take(START, 32); taken.length > 0; taken = order.take(START, 32))
    for (const pending of taken) order.markReceived(pending, START)
  expect(order.takeChanges()).toEqual({
    cursor: { committed_in: '100', position: 1n },
    noted: [],
    received: [],
  })
})

test('events of an object are sent in sequence, even if the feed shows them out of order', () => {
  const order = new SendingOrder<FeedEvent>({ committed_in: '0', position: 0n }, false)
  const makeEvent = (sequence: number, at: number): FeedEvent => ({
    id: `Event:${sequence}`,
    object_id: 'Object:1',
    type: 'CARD.STATE_CHANGE',
    committed_in: String(at),
    position: 0n,
    sequence,
  })
  for (const event of [makeEvent(2, 1), makeEvent(3, 2), makeEvent(1, 3)]) order.add(event)
  const sent: number[] = []
  for (let [next] = order.take(START, 9); next; [next] = order.take(START, 9)) {
    sent.push(next.event.sequence ?? 0)
    order.markReceived(next, START)
  }
  expect(sent).toEqual([1, 2, 3])
  expect(order.takeChanges().cursor).toEqual({ committed_in: '3', position: 0n })
})

test('a postponed event is sent outside the feed, and the next event of its object does not wait for it', () => {
  const order = new SendingOrder<FeedEvent>({ committed_in: '0', position: 0n }, false)
  for (const at of [1, 2])
    order.add({
      id: `Event:${at}`,
      object_id: 'Object:1',
      type: 'CARD.STATE_CHANGE',
      committed_in: String(at),
      position: 0n,
    })
  const later = new Date(START.getTime() + 10_000)
  const [first] = order.take(START, 9)
  if (first) order.postpone(first, START, later)
  expect(order.take(START, 9).map(({ event }) => event.id)).toEqual(['Event:2'])
  expect(order.takeOutsideFeed(START, 9)).toEqual([])
  expect(order.takeOutsideFeed(later, 9).map(({ event }) => event.id)).toEqual(['Event:1'])
  expect(order.takeChanges().noted).toMatchObject([{ isOutsideFeed: true, attempts: 0 }])
})
