import type { WireSpelling } from '@countersign/contract/core/wire-word'
import type { EventType } from '@countersign/contract/events/events'
import { toJson } from '../../base/json/json.ts'
import { type Background, runInBackground } from '../../kernel/operation/background.ts'
import { type FeedPosition, isAfter } from '../../kernel/ports/event-streams.ts'
import { toEventView } from './event-view.ts'
import { type EventWithDelivery, type FeedReader, selectEventsAfter, selectLatestAfter } from './store.ts'

/**
 * The interval for reading a platform's feed for streams of all events. Streams of only the latest events use
 * the longer one.
 */
const POLL_MS = 500
const POLL_LATEST_MS = 1_000
/** The maximum number of events per read. */
const READ_MAX = 200
/** The maximum number of recent events in memory, for streams that are slightly behind. */
const RECENT_MAX = 500

/** An event as streams send it. */
export interface StreamedEvent extends FeedPosition {
  readonly id: string
  readonly type: EventType
  /** The lines of the message. They are formatted when the first stream sends it. */
  text(): string
}

/** The dependencies of a channel. */
export interface ChannelParts {
  readonly reader: FeedReader
  readonly wire: WireSpelling
  /** The position in the feed at which the channel starts. */
  readonly newest: FeedPosition
  readonly onFailure: (error: unknown) => void
}

/**
 * The feed of one platform for all its streams in this process. It is read once, regardless of their number.
 */
export abstract class Channel {
  protected readonly reader: FeedReader
  readonly #wire: WireSpelling
  readonly #polling: Background
  readonly #waiters = new Set<() => void>()

  constructor({ reader, wire, onFailure }: ChannelParts, pollMs: number) {
    this.reader = reader
    this.#wire = wire
    this.#polling = runInBackground(pollMs, () => this.poll(), onFailure)
  }

  /** Returns the events that a stream at this position sends next. Empty if nothing is new. */
  abstract eventsAfter(position: FeedPosition): Promise<readonly StreamedEvent[]>

  /** Reads new events. */
  protected abstract poll(): Promise<void>

  /** Resolves when there are new events, after `ms`, or when the signal aborts. */
  async waitForChange(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', finish)
        this.#waiters.delete(finish)
        resolve()
      }
      const timer = setTimeout(finish, ms)
      signal.addEventListener('abort', finish)
      this.#waiters.add(finish)
    })
  }

  async stop(): Promise<void> {
    await this.#polling.stop()
  }

  protected wake(): void {
    for (const wake of [...this.#waiters]) wake()
  }

  protected toStreamedEvent = (event: EventWithDelivery): StreamedEvent => {
    const { id, type, committed_in, position } = event
    let formatted: string | undefined
    const text = () => {
      formatted ??= `id: ${id}\nevent: ${type}\ndata: ${toJson(this.#wire.outward(toEventView(event)))}\n\n`
      return formatted
    }
    return { id, type, committed_in, position, text }
  }
}

/**
 * Streams all events. A stream that is behind the recent events in memory reads the feed until it has caught
 * up.
 */
export class AllEventsChannel extends Channel {
  /** All final events after `#floor` up to the last read, in feed order. */
  #recent: StreamedEvent[] = []
  #floor: FeedPosition

  constructor(parts: ChannelParts) {
    super(parts, POLL_MS)
    this.#floor = parts.newest
  }

  async eventsAfter(position: FeedPosition): Promise<readonly StreamedEvent[]> {
    if (isAfter(this.#floor, position)) return this.#read(position)
    return this.#recent.filter((event) => isAfter(event, position))
  }

  protected async poll(): Promise<void> {
    for (;;) {
      const events = await this.#read(this.#recent.at(-1) ?? this.#floor)
      if (events.length === 0) return
      const all = [...this.#recent, ...events]
      const dropped = all.slice(0, -RECENT_MAX).at(-1)
      this.#recent = all.slice(-RECENT_MAX)
      if (dropped) this.#floor = dropped
      this.wake()
      if (events.length < READ_MAX) return
    }
  }

  async #read(after: FeedPosition): Promise<StreamedEvent[]> {
    return (await selectEventsAfter(this.reader, after, READ_MAX)).map(this.toStreamedEvent)
  }
}

/**
 * Streams only the latest event of each type, in feed order. The database skips the events in between, so a
 * read returns at most one event per type.
 */
export class LatestEventsChannel extends Channel {
  readonly #start: FeedPosition
  #passed: FeedPosition
  readonly #latest = new Map<EventType, StreamedEvent>()

  constructor(parts: ChannelParts) {
    super(parts, POLL_LATEST_MS)
    this.#start = parts.newest
    this.#passed = parts.newest
  }

  async eventsAfter(position: FeedPosition): Promise<readonly StreamedEvent[]> {
    if (isAfter(this.#start, position)) return this.#read(position)
    return [...this.#latest.values()].filter((event) => isAfter(event, position)).sort(compareFeedOrder)
  }

  protected async poll(): Promise<void> {
    const events = await this.#read(this.#passed)
    const newest = events.at(-1)
    if (!newest) return
    this.#passed = newest
    for (const event of events) this.#latest.set(event.type, event)
    this.wake()
  }

  async #read(after: FeedPosition): Promise<StreamedEvent[]> {
    return (await selectLatestAfter(this.reader, after)).map(this.toStreamedEvent)
  }
}

function compareFeedOrder(left: FeedPosition, right: FeedPosition): number {
  return isAfter(left, right) ? 1 : -1
}
