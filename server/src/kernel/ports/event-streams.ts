import type { EventType } from '@countersign/contract/events/events'

/** A place in the feed of a platform: the transaction of an event, and its number within. */
export interface FeedPosition {
  readonly committed_in: string
  readonly position: bigint
}

/** Before the first event of every feed. */
export const BEGINNING: FeedPosition = { committed_in: '0', position: 0n }

/** True if the first place comes after the second one in the feed. */
export function isAfter(one: FeedPosition, other: FeedPosition): boolean {
  const [a, b] = [BigInt(one.committed_in), BigInt(other.committed_in)]
  return a > b || (a === b && one.position > other.position)
}

/** The owner of a stream: a token, or a member in all its browsers. */
export interface StreamCaller {
  readonly name: string
  /** The member behind a token, who shares with all its tokens; else the caller itself. */
  readonly owner: string
}

export interface EventStreamOptions {
  readonly caller: StreamCaller
  /** Only events after this one. Undefined: only what becomes final from now on. */
  readonly after: FeedPosition | undefined
  /** Undefined: all types. */
  readonly types: readonly EventType[] | undefined
  /** At most a message a second, with the latest event of each type. */
  readonly latestOnly: boolean
}

/** The streams of events that this process keeps open. */
export interface EventStreams {
  /**
   * Follows the feed of a platform, as pieces of a text of server-sent events, without end. The first piece comes at once.
   * Error: 429 `RATE_LIMITED` if the platform has all its streams, and nobody has more of them than the caller would have.
   */
  open(platformId: string, options: EventStreamOptions): Promise<AsyncIterable<string>>
  /** Ends all streams, and the work for them. */
  close(): Promise<void>
}
