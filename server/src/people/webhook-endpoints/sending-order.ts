import type { EventType } from '@countersign/contract/events/events'
import { type FeedPosition, isAfter } from '../../kernel/ports/event-streams.ts'

/** An event in a platform's feed. */
export interface FeedEvent extends FeedPosition {
  readonly id: string
  readonly object_id: string
  readonly type: EventType
  /** Its number among its object's events, if known. */
  readonly sequence?: number
}

/** An event that an endpoint has not received yet, or that was given up. */
export interface Pending<E extends FeedEvent = FeedEvent> {
  readonly event: E
  /** True if it is sent before all other events, regardless of the cursor. */
  readonly isOutsideFeed: boolean
  /** True if it was received before. */
  readonly wasReceived: boolean
  readonly attempts: number
  readonly lastFailure: string | undefined
  /** The time of the first failed attempt. */
  readonly failedAt: Date | undefined
  /** The time of the next attempt after a failed one. */
  readonly dueAt: Date | undefined
  readonly gaveUpAt: Date | undefined
}

interface Entry<E extends FeedEvent> extends Pending<E> {
  isOutsideFeed: boolean
  attempts: number
  lastFailure: string | undefined
  failedAt: Date | undefined
  dueAt: Date | undefined
  gaveUpAt: Date | undefined
  isSending: boolean
  /** True if it has a row in the database, or gets one with the next changes. */
  isStored: boolean
  /** True if the cursor may pass it. */
  isSettled: boolean
}

/** Changes to be stored together. */
export interface Changes<E extends FeedEvent> {
  readonly cursor: FeedPosition
  /** The failures to insert or update. */
  readonly noted: readonly Pending<E>[]
  /** The ids of events whose failures to delete. */
  readonly received: readonly string[]
}

const BALANCE: EventType = 'INTERNAL_ACCOUNT.BALANCE_UPDATED'

/**
 * Decides the order in which one endpoint gets events: one after another for the same object, in parallel for
 * different objects. All events up to the cursor were received or stored as failures. Pure.
 */
export class SendingOrder<E extends FeedEvent> {
  readonly #latestBalanceOnly: boolean
  #cursor: FeedPosition
  /** Unreceived events by object, in feed order. Only the first event of an object is sent. */
  readonly #objects = new Map<string, Entry<E>[]>()
  /** The first events of objects, if they may be sent immediately. */
  #ready: Entry<E>[] = []
  /** The first events of objects, if they failed and wait for their next attempt. */
  readonly #retrying = new Set<Entry<E>>()
  /** The waiting events to send before all others. */
  readonly #outsideFeed = new Set<Entry<E>>()
  /** All events read from the feed that the cursor has not passed. */
  #beyondCursor: { readonly at: FeedPosition; readonly entry: Entry<E> | undefined }[] = []
  #storedCount = 0
  readonly #changed = new Set<Entry<E>>()
  readonly #received = new Set<string>()

  /** `failures` are in feed order, without given-up events. The feed shows those beyond the cursor again. */
  constructor(cursor: FeedPosition, latestBalanceOnly: boolean, failures: readonly Pending<E>[] = []) {
    this.#cursor = cursor
    this.#latestBalanceOnly = latestBalanceOnly
    for (const pending of failures) {
      if (isAfter(pending.event, cursor)) this.#received.add(pending.event.id)
      else this.addStored(pending)
    }
  }

  /** Adds an event that has a row. */
  addStored(pending: Pending<E>): void {
    this.#storedCount += 1
    this.#append({ ...pending, isSending: false, isStored: true, isSettled: true })
  }

  /** Lists the ids of events that have a row or may still have one. */
  listStoredIds(): string[] {
    const noted = [...this.#objects.values()].flatMap((queue) =>
      queue.flatMap(({ isStored, event }) => (isStored ? [event.id] : [])),
    )
    return [...noted, ...[...this.#changed].map(({ event }) => event.id), ...this.#received]
  }

  /** The number of events that have failed or wait behind a failed one. */
  get storedCount(): number {
    return this.#storedCount
  }

  /** The number of events read from the feed that the cursor has not passed. */
  get beyondCursorCount(): number {
    return this.#beyondCursor.length
  }

  /** The number of events that may be sent immediately, without retries. */
  get readyCount(): number {
    return this.#ready.length
  }

  /** Adds the feed's next event. */
  add(event: E): void {
    const entry: Entry<E> = {
      event,
      ...NEVER_TRIED,
      isSending: false,
      isStored: false,
      isSettled: false,
    }
    this.#beyondCursor.push({ at: event, entry })
    this.#replaceBalance(entry)
    this.#append(entry)
  }

  /** Skips an event that the endpoint does not want. */
  skip(at: FeedPosition): void {
    this.#beyondCursor.push({ at, entry: undefined })
    this.#moveCursor()
  }

  /** Takes up to `max` due events to send before all others. */
  takeOutsideFeed(now: Date, max: number): Pending<E>[] {
    const due = [...this.#outsideFeed].filter((entry) => isDue(entry, now))
    return due.slice(0, Math.max(0, max)).map(markSending)
  }

  /** Takes up to `max` other events that may be sent now. */
  take(now: Date, max: number): Pending<E>[] {
    const taken = this.#ready.splice(0, max)
    for (const entry of this.#retrying) {
      if (taken.length >= max) break
      if (!entry.isOutsideFeed && isDue(entry, now)) taken.push(entry)
    }
    return taken.map(markSending)
  }

  /** Takes one event, even if it is not due, to test whether the endpoint works again. */
  takeProbe(): Pending<E> | undefined {
    const [retried] = this.#retrying
    const entry = this.#ready.shift() ?? (retried?.isSending ? undefined : retried)
    return entry && markSending(entry)
  }

  /**
   * Takes the next events of the same object after one just taken: up to `max`, or to the first that must not
   * follow. In the series, each event waits until the previous one was received.
   */
  takeFollowing(first: Pending<E>, max: number, mayFollow: (event: E) => boolean): Pending<E>[] {
    if (first.isOutsideFeed) return []
    const following = this.#getQueue(first.event).slice(1, 1 + max)
    const end = following.findIndex(
      ({ isStored, isSending, event }) => isStored || isSending || !mayFollow(event),
    )
    return (end < 0 ? following : following.slice(0, end)).map(markSending)
  }

  /** Puts back events that were taken but not sent, in the order in which they were taken. */
  putBack(unsent: readonly Pending<E>[]): void {
    for (const { event } of unsent.toReversed()) {
      const queue = this.#getQueue(event)
      const entry = queue.find((queued) => queued.event.id === event.id)
      if (!entry) throw new Error(`${event.id} is not being sent`)
      entry.isSending = false
      // An event that failed before is still due.
      if (entry === queue[0] && !this.#retrying.has(entry)) this.#ready.push(entry)
    }
  }

  markReceived({ event }: Pending<E>, now: Date): void {
    const entry = this.#removeFirst(event)
    if (entry.isStored) {
      this.#storedCount -= 1
      this.#changed.delete(entry)
      this.#received.add(event.id)
    }
    this.#settle(entry)
    this.#startNext(event.object_id, now)
  }

  /** Schedules another attempt at `dueAt`. Later events of the object wait. */
  markFailed({ event }: Pending<E>, failure: string, now: Date, dueAt: Date): void {
    const queue = this.#getQueue(event)
    const [first] = queue
    if (!first) throw new Error(`${event.id} is not being sent`)
    Object.assign(first, {
      attempts: first.attempts + 1,
      lastFailure: failure,
      failedAt: first.failedAt ?? now,
      dueAt,
      isSending: false,
    })
    this.#retry(first)
    for (const entry of queue) if (entry === first || !entry.isStored) this.#store(entry)
  }

  /** Ends the attempts to send an event. The next event of its object is sent. */
  markGivenUp({ event }: Pending<E>, failure: string, now: Date): void {
    const entry = this.#removeFirst(event)
    Object.assign(entry, {
      attempts: entry.attempts + 1,
      lastFailure: failure,
      failedAt: entry.failedAt ?? now,
      dueAt: undefined,
      gaveUpAt: now,
    })
    this.#store(entry)
    this.#storedCount -= 1
    this.#startNext(event.object_id, now)
  }

  /** Postpones an event. Other events of its object do not wait for it. */
  postpone({ event }: Pending<E>, now: Date, dueAt: Date): void {
    const entry = this.#removeFirst(event)
    Object.assign(entry, {
      event: { ...event, object_id: event.id },
      isOutsideFeed: true,
      isSending: false,
      failedAt: now,
      dueAt,
    })
    this.#store(entry)
    this.#append(entry)
    this.#startNext(event.object_id, now)
  }

  /** Makes all waiting retries due, because the endpoint works again. */
  retryAll(now: Date): void {
    for (const entry of this.#retrying) {
      if (entry.isSending || entry.dueAt === undefined || entry.dueAt <= now) continue
      entry.dueAt = now
      this.#changed.add(entry)
    }
  }

  /** Takes the changes to store. */
  takeChanges(): Changes<E> {
    const changes = { cursor: this.#cursor, noted: [...this.#changed], received: [...this.#received] }
    this.#changed.clear()
    this.#received.clear()
    return changes
  }

  /**
   * Replaces a waiting balance event of the same account, because the endpoint wants only the latest balance.
   */
  #replaceBalance(entry: Entry<E>): void {
    if (!this.#latestBalanceOnly || entry.event.type !== BALANCE) return
    const queue = this.#objects.get(entry.event.object_id)
    const last = queue?.at(-1)
    if (!queue || !last || last.isSending || last.event.type !== BALANCE) return
    queue.pop()
    this.#ready = this.#ready.filter((ready) => ready !== last)
    this.#forgetRetry(last)
    this.#changed.delete(last)
    if (last.isStored) {
      this.#storedCount -= 1
      this.#received.add(last.event.id)
    }
    const { attempts, lastFailure, failedAt, dueAt } = last
    Object.assign(entry, { attempts, lastFailure, failedAt, dueAt })
    this.#settle(last)
  }

  #append(entry: Entry<E>): void {
    const queue = this.#getQueue(entry.event)
    const place = findPlace(queue, entry)
    queue.splice(place, 0, entry)
    const [first, second] = queue
    if (first !== entry) {
      if (first?.dueAt !== undefined && !entry.isStored) this.#store(entry)
    } else if (entry.dueAt === undefined) {
      this.#ready = this.#ready.filter((ready) => ready !== second)
      this.#ready.push(entry)
    } else {
      this.#retry(entry)
      if (!entry.isStored) this.#store(entry)
    }
  }

  #retry(entry: Entry<E>): void {
    this.#retrying.add(entry)
    if (entry.isOutsideFeed) this.#outsideFeed.add(entry)
  }

  #forgetRetry(entry: Entry<E>): void {
    this.#retrying.delete(entry)
    this.#outsideFeed.delete(entry)
  }

  #getQueue({ object_id }: E): Entry<E>[] {
    return this.#objects.get(object_id) ?? this.#newQueue(object_id)
  }

  #newQueue(objectId: string): Entry<E>[] {
    const queue: Entry<E>[] = []
    this.#objects.set(objectId, queue)
    return queue
  }

  #removeFirst(event: E): Entry<E> {
    const entry = this.#objects.get(event.object_id)?.shift()
    if (entry?.event.id !== event.id) throw new Error(`${event.id} is not being sent`)
    this.#forgetRetry(entry)
    return entry
  }

  /**
   * Sends the next event of an object. A stored event gets a due time in its row, so that it is found after a
   * crash.
   */
  #startNext(objectId: string, now: Date): void {
    const next = this.#objects.get(objectId)?.[0]
    if (!next) {
      this.#objects.delete(objectId)
      return
    }
    if (next.isSending) return
    if (!next.isStored) {
      this.#ready.push(next)
      return
    }
    next.dueAt = now
    this.#retry(next)
    this.#changed.add(next)
  }

  #store(entry: Entry<E>): void {
    if (!entry.isStored) this.#storedCount += 1
    entry.isStored = true
    this.#received.delete(entry.event.id)
    this.#changed.add(entry)
    this.#settle(entry)
  }

  #settle(entry: Entry<E>): void {
    entry.isSettled = true
    this.#moveCursor()
  }

  #moveCursor(): void {
    let passed = 0
    for (const { at, entry } of this.#beyondCursor) {
      if (entry && !entry.isSettled) break
      this.#cursor = { committed_in: at.committed_in, position: at.position }
      passed += 1
    }
    if (passed > 0) this.#beyondCursor = this.#beyondCursor.slice(passed)
  }
}

const NEVER_TRIED = {
  isOutsideFeed: false,
  wasReceived: false,
  attempts: 0,
  lastFailure: undefined,
  failedAt: undefined,
  dueAt: undefined,
  gaveUpAt: undefined,
} as const

/**
 * Finds the place that keeps the events of an object in sequence, even if the feed shows two in reverse.
 * Events that are being sent stay first.
 */
function findPlace<E extends FeedEvent>(queue: readonly Entry<E>[], { event, isStored }: Entry<E>): number {
  let place = queue.length
  for (; place > 0 && !isStored; place--) {
    const before = queue[place - 1]
    if (!before || before.isSending || before.isStored || !isLater(before.event, event)) break
  }
  return place
}

function isLater(other: FeedEvent, { sequence }: FeedEvent): boolean {
  return other.sequence !== undefined && sequence !== undefined && other.sequence > sequence
}

function isDue<E extends FeedEvent>({ isSending, dueAt }: Entry<E>, now: Date): boolean {
  return !isSending && dueAt !== undefined && dueAt <= now
}

function markSending<E extends FeedEvent>(entry: Entry<E>): Pending<E> {
  entry.isSending = true
  return entry
}
