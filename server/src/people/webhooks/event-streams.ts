import { EVENT_STREAMS_MAX, FEED_BEGINNING } from '@countersign/contract/events/event-stream'
import type { EventType } from '@countersign/contract/events/events'
import type { App } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { BEGINNING, type EventStreams, type FeedPosition } from '../../kernel/ports/event-streams.ts'
import { AllEventsChannel, type Channel, LatestEventsChannel } from './event-channel.ts'
import { type StreamSlot, StreamSlots } from './event-stream-seats.ts'
import { selectNewestEvent } from './store.ts'

/** The interval between keep-alive comments in an idle stream. */
const COMMENT_MS = 15_000
/** The minimum time between two messages of a stream that sends only the latest events. */
const LATEST_MS = 1_000
/** The delay before a client reopens a broken stream. */
const RECONNECT_MS = 1_000
const RETRY_SECONDS = '15'

/** A channel, and the number of streams of one platform that read it. */
interface SharedChannel {
  channel: Channel | undefined
  streams: number
}

/**
 * Creates the event streams of this process. Each platform has at most one reader of its feed for each kind
 * of stream.
 */
export function createEventStreams(app: Pick<App, 'read' | 'wire' | 'log'>): EventStreams {
  const kinds = [
    { Kind: AllEventsChannel, platforms: new Map<string, SharedChannel>() },
    { Kind: LatestEventsChannel, platforms: new Map<string, SharedChannel>() },
  ] as const
  const closing = new AbortController()
  const slots = new StreamSlots()

  const leave = async (
    platforms: Map<string, SharedChannel>,
    platformId: string,
    { shared, slot }: { readonly shared: SharedChannel; readonly slot: StreamSlot },
  ) => {
    slots.leave(platformId, slot)
    shared.streams -= 1
    if (shared.streams > 0) return
    platforms.delete(platformId)
    await shared.channel?.stop()
  }

  return {
    async open(platformId, { caller, after, types, latestOnly }) {
      const taken = slots.take(platformId, caller)
      if (!taken) throw createLimitError()
      const { slot, displaced } = taken
      await displaced?.end?.()
      const { Kind, platforms } = kinds[latestOnly ? 1 : 0]
      const shared = platforms.get(platformId) ?? { channel: undefined, streams: 0 }
      platforms.set(platformId, shared)
      shared.streams += 1
      try {
        const reader = { read: app.read, platform: { id: platformId } }
        const newest = await selectNewestEvent(reader)
        const onFailure = (error: unknown) =>
          app.log.warn({ err: error, platformId }, 'failed to read event feed for streams')
        shared.channel ??= new Kind({ reader, wire: app.wire, newest: newest ?? BEGINNING, onFailure })
        const stream = new Stream(shared.channel, {
          from: after ?? newest ?? BEGINNING,
          // If the stream breaks before its first event, the client resumes after this newest event.
          known: after ? undefined : (newest?.id ?? FEED_BEGINNING),
          types: types && new Set(types),
          pauseMs: latestOnly ? LATEST_MS : 0,
          closed: closing.signal,
          onEnd: () => leave(platforms, platformId, { shared, slot }),
        })
        slot.end = () => stream.return()
        return stream
      } catch (error) {
        await leave(platforms, platformId, { shared, slot })
        throw error
      }
    },
    async close() {
      closing.abort()
      await Promise.all(
        kinds.flatMap(({ platforms }) => [...platforms.values()]).map(({ channel }) => channel?.stop()),
      )
    },
  }
}

function createLimitError(): ApiError {
  return new ApiError('RATE_LIMITED', {
    message: `The platform already has ${EVENT_STREAMS_MAX} event streams open. Close one, or poll GET /events instead.`,
    headers: { 'Retry-After': RETRY_SECONDS },
  })
}

interface StreamOptions {
  readonly from: FeedPosition
  readonly known: string | undefined
  readonly types: ReadonlySet<EventType> | undefined
  /** The minimum time between two messages. */
  readonly pauseMs: number
  /** Aborts when the server closes. */
  readonly closed: AbortSignal
  readonly onEnd: () => Promise<void>
}

/**
 * The messages of one stream. It stores its position but no events, so a slow reader needs no memory.
 */
class Stream implements AsyncIterableIterator<string> {
  readonly #channel: Channel
  readonly #options: StreamOptions
  readonly #ending = new AbortController()
  readonly #ended: AbortSignal
  #position: FeedPosition
  /** The last event that this stream has sent or omitted. */
  #passed: string | undefined
  #hasStarted = false
  #sentAtMs = Number.NEGATIVE_INFINITY

  constructor(channel: Channel, options: StreamOptions) {
    this.#channel = channel
    this.#options = options
    this.#position = options.from
    this.#passed = options.known
    this.#ended = AbortSignal.any([options.closed, this.#ending.signal])
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    if (!this.#hasStarted) {
      this.#hasStarted = true
      return { done: false, value: `retry: ${RECONNECT_MS}\n${this.#idLine()}\n` }
    }
    const text = await this.#nextText()
    if (text !== undefined) return { done: false, value: text }
    return this.return()
  }

  /** Ends the stream and a pending `next`. */
  async return(): Promise<IteratorResult<string, undefined>> {
    if (!this.#ending.signal.aborted) {
      this.#ending.abort()
      await this.#options.onEnd()
    }
    return { done: true, value: undefined }
  }

  /** Returns the next events together, or a comment; undefined once the stream has ended. */
  async #nextText(): Promise<string | undefined> {
    const { types } = this.#options
    const quietUntilMs = performance.now() + COMMENT_MS
    await this.#pause()
    while (!this.#ended.aborted) {
      const events = await this.#channel.eventsAfter(this.#position)
      const last = events.at(-1)
      if (last) {
        this.#position = last
        this.#passed = last.id
        const matching = types ? events.filter(({ type }) => types.has(type)) : events
        if (matching.length > 0) return matching.map(({ text }) => text()).join('')
        continue
      }
      const leftMs = quietUntilMs - performance.now()
      // Includes the last omitted event, so that a client does not resume far behind.
      if (leftMs <= 0) return `: nothing new\n${this.#idLine()}\n`
      await this.#channel.waitForChange(leftMs, this.#ended)
    }
    return undefined
  }

  /** Waits until the next message may be sent. */
  async #pause(): Promise<void> {
    while (!this.#ended.aborted) {
      const leftMs = this.#sentAtMs + this.#options.pauseMs - performance.now()
      if (leftMs <= 0) break
      await this.#channel.waitForChange(leftMs, this.#ended)
    }
    this.#sentAtMs = performance.now()
  }

  #idLine(): string {
    return this.#passed === undefined ? '' : `id: ${this.#passed}\n`
  }
}
