import { EVENT_STREAMS_MAX } from '@countersign/contract/events/event-stream'
import type { StreamCaller } from '../../kernel/ports/event-streams.ts'

/** One of the streams that a platform may have. */
export interface Seat {
  readonly caller: StreamCaller
  /** Ends the stream. Set once the stream is open. */
  end?: () => Promise<unknown>
}

/**
 * The streams that each platform may have in this process. One caller may have all of them until another
 * caller wants one. Then streams move from the owner with the most to owners with fewer, and likewise between
 * the callers of one owner, until all have the same number.
 */
export class Seats {
  readonly #byPlatform = new Map<string, Set<Seat>>()

  /**
   * Returns a seat, or undefined if this caller cannot have one. `displaced` is the stream that has to end
   * for it.
   */
  take(
    platformId: string,
    caller: StreamCaller,
  ): { readonly seat: Seat; readonly displaced?: Seat } | undefined {
    const taken = this.#byPlatform.get(platformId) ?? new Set<Seat>()
    const displaced = taken.size < EVENT_STREAMS_MAX ? undefined : findDisplaced([...taken], caller)
    if (taken.size >= EVENT_STREAMS_MAX && !displaced) return undefined
    const seat: Seat = { caller }
    if (displaced) taken.delete(displaced)
    taken.add(seat)
    this.#byPlatform.set(platformId, taken)
    return displaced ? { seat, displaced } : { seat }
  }

  leave(platformId: string, seat: Seat): void {
    const taken = this.#byPlatform.get(platformId)
    taken?.delete(seat)
    if (taken?.size === 0) this.#byPlatform.delete(platformId)
  }
}

/**
 * Finds the oldest open stream of the owner or caller with the most, if that one still has at least as many
 * as this caller afterwards.
 */
function findDisplaced(taken: readonly Seat[], { owner, name }: StreamCaller): Seat | undefined {
  const getOwner = ({ caller }: Seat) => caller.owner
  const getName = ({ caller }: Seat) => caller.name
  const largestOwner = findLargerKey(taken, getOwner, owner)
  // If no owner has more, the callers of this owner share its streams.
  const candidates = taken.filter((seat) => getOwner(seat) === (largestOwner ?? owner))
  const displacedName =
    largestOwner === undefined
      ? findLargerKey(candidates, getName, name)
      : countLargest(candidates, getName)?.[0]
  return candidates.find((seat) => getName(seat) === displacedName && seat.end !== undefined)
}

/** Returns the key with the most streams, if it has more than `ownKey` would have with another one. */
function findLargerKey(
  seats: readonly Seat[],
  getKey: (seat: Seat) => string,
  ownKey: string,
): string | undefined {
  const largest = countLargest(seats, getKey)
  const ownCount = seats.filter((seat) => getKey(seat) === ownKey).length
  return largest && ownCount + 1 < largest[1] ? largest[0] : undefined
}

function countLargest(
  seats: readonly Seat[],
  getKey: (seat: Seat) => string,
): readonly [string, number] | undefined {
  const counts = new Map<string, number>()
  for (const seat of seats) counts.set(getKey(seat), (counts.get(getKey(seat)) ?? 0) + 1)
  return [...counts].toSorted((one, other) => other[1] - one[1])[0]
}
