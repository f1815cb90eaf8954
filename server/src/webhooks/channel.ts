import type { WireSpelling } from '@countersign/contract/core/wire-word'
import type { EventType } from '@countersign/contract/events/events'
import { toJson } from '../json/json.ts'
import { type Background, inBackground } from '../op/background.ts'
import type { FeedPosition } from '../ports/event-streams.ts'
import { eventView } from './event-view.ts'
import { type EventWithDelivery, type FeedReader, selectEventsAfter } from './store.ts'

/** How often the feed of a platform with streams is read. */
const POLL_MS = 500
/** The most events of one read. */
const READ_AT_ONCE = 200
/** The latest events that are kept for streams that are a little behind. */
const KEPT_MAX = 500

/** An event as streams send it. */
export interface StreamedEvent extends FeedPosition {
  readonly id: string
  readonly type: EventType
  /** The lines of the message, written when the first stream sends it. */
  text(): string
}

/**
 * The feed of one platform for all its streams in this process: it is read once, however many they are. A stream that is
 * further behind than what is kept reads for itself until it has caught up.
 */
export class Channel {
  readonly #reader: FeedReader
  readonly #wire: WireSpelling
  readonly #polling: Background
  /** All final events after `#floor` and up to the last read, in their order. */
  #kept: StreamedEvent[] = []
  #floor: FeedPosition
  /** Where this channel began: of what is after, it knows the latest event of each type. */
  readonly #began: FeedPosition
  readonly #latest = new Map<EventType, StreamedEvent>()
  #waiting = new Set<() => void>()

  constructor(
    reader: FeedReader,
    wire: WireSpelling,
    newest: FeedPosition,
    onFailure: (error: unknown) => void,
  ) {
    this.#reader = reader
    this.#wire = wire
    this.#floor = newest
    this.#began = newest
    this.#polling = inBackground(POLL_MS, () => this.#poll(), onFailure)
  }

  /** The next events after a position; none where there are none yet. */
  async after(position: FeedPosition): Promise<readonly StreamedEvent[]> {
    if (isAfter(this.#floor, position)) return this.#read(position)
    return this.#kept.filter((event) => isAfter(event, position))
  }

  /** Of what comes after a position the latest event of each type, in their order; further back, of the next events. */
  async latestAfter(position: FeedPosition): Promise<readonly StreamedEvent[]> {
    if (isAfter(this.#began, position)) {
      const events = await this.#read(position)
      return [...new Map(events.map((event) => [event.type, event])).values()].sort(inOrder)
    }
    return [...this.#latest.values()].filter((event) => isAfter(event, position)).sort(inOrder)
  }

  /** Resolves when there are new events, after `ms`, or when the signal aborts. */
  async changed(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    await new Promise<void>((resolve) => {
      const over = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', over)
        this.#waiting.delete(over)
        resolve()
      }
      const timer = setTimeout(over, ms)
      signal.addEventListener('abort', over)
      this.#waiting.add(over)
    })
  }

  async stop(): Promise<void> {
    await this.#polling.stop()
  }

  async #poll(): Promise<void> {
    for (;;) {
      const events = await this.#read(this.#kept.at(-1) ?? this.#floor)
      if (events.length === 0) return
      const all = [...this.#kept, ...events]
      const dropped = all.slice(0, -KEPT_MAX).at(-1)
      this.#kept = all.slice(-KEPT_MAX)
      if (dropped) this.#floor = dropped
      for (const event of events) this.#latest.set(event.type, event)
      for (const wake of [...this.#waiting]) wake()
      if (events.length < READ_AT_ONCE) return
    }
  }

  async #read(after: FeedPosition): Promise<StreamedEvent[]> {
    const events = await selectEventsAfter(this.#reader, after, READ_AT_ONCE)
    return events.map((event) => this.#streamed(event))
  }

  #streamed(event: EventWithDelivery): StreamedEvent {
    const { id, type, committed_in, position } = event
    let written: string | undefined
    const text = () => {
      written ??= `id: ${id}\nevent: ${type}\ndata: ${toJson(this.#wire.outward(eventView(event)))}\n\n`
      return written
    }
    return { id, type, committed_in, position, text }
  }
}

function inOrder(one: FeedPosition, other: FeedPosition): number {
  return isAfter(one, other) ? 1 : -1
}

function isAfter(one: FeedPosition, other: FeedPosition): boolean {
  const [a, b] = [BigInt(one.committed_in), BigInt(other.committed_in)]
  return a > b || (a === b && one.position > other.position)
}
