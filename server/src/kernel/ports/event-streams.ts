import type { EventType } from '@countersign/contract/events/events'

/** A position in a platform's feed: the transaction that wrote an event, and the event's number in it. */
export interface FeedPosition {
  readonly committed_in: string
  readonly position: bigint
}

/** Before the first event of any feed. */
export const BEGINNING: FeedPosition = { committed_in: '0', position: 0n }

/** True if the first position comes after the second. */
export function isAfter(position: FeedPosition, other: FeedPosition): boolean {
  const [a, b] = [BigInt(position.committed_in), BigInt(other.committed_in)]
  return a > b || (a === b && position.position > other.position)
}

/** The owner of a stream: a token, or a team member with all their browsers. */
export interface StreamCaller {
  readonly name: string
  /**
   * The team member behind a token, who shares the limit with all their tokens, or else the caller itself.
   */
  readonly owner: string
}

export interface EventStreamOptions {
  readonly caller: StreamCaller
  /** Only events after this position. Undefined for new events only. */
  readonly after: FeedPosition | undefined
  /** Undefined for all event types. */
  readonly types: readonly EventType[] | undefined
  /** Sends at most one message per second, with the latest event of each type. */
  readonly latestOnly: boolean
}

/** The event streams served by this process. */
export interface EventStreams {
  /**
   * Streams a platform's feed as server-sent events, endlessly. The first piece comes immediately. Throws 429
   * `RATE_LIMITED` if the platform has reached its limit and no other owner would have more streams than the
   * caller.
   */
  open(platformId: string, options: EventStreamOptions): Promise<AsyncIterable<string>>
  /** Ends all streams and stops their worker. */
  close(): Promise<void>
}
