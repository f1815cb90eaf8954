import type { EventType } from '@countersign/contract/events/events'

/** A position in a platform's feed: the transaction of an event, and its number within. */
export interface FeedPosition {
  readonly committed_in: string
  readonly position: bigint
}

/** Before the first event of every feed. */
export const BEGINNING: FeedPosition = { committed_in: '0', position: 0n }

/** True if the first position comes after the second one in the feed. */
export function isAfter(position: FeedPosition, other: FeedPosition): boolean {
  const [a, b] = [BigInt(position.committed_in), BigInt(other.committed_in)]
  return a > b || (a === b && position.position > other.position)
}

/** The owner of a stream: a token, or a team member in all their browsers. */
export interface StreamCaller {
  readonly name: string
  /** The team member behind a token, who shares with all their tokens; else the caller itself. */
  readonly owner: string
}

export interface EventStreamOptions {
  readonly caller: StreamCaller
  /** Only events after this one. Undefined: only new events. */
  readonly after: FeedPosition | undefined
  /** Undefined for all types. */
  readonly types: readonly EventType[] | undefined
  /** At most one message per second, with the latest event of each type. */
  readonly latestOnly: boolean
}

/** The event streams that this process keeps open. */
export interface EventStreams {
  /**
   * Follows a platform's feed as server-sent events, without end. The first piece comes immediately. Throws
   * 429 `RATE_LIMITED` if the platform has reached its limit, and no other owner has more streams than the
   * caller would have.
   */
  open(platformId: string, options: EventStreamOptions): Promise<AsyncIterable<string>>
  /** Ends all streams and their worker. */
  close(): Promise<void>
}
