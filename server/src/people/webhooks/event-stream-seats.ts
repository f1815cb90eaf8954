import { EVENT_STREAMS_MAX } from '@countersign/contract/events/event-stream'
import type { StreamCaller } from '../../kernel/ports/event-streams.ts'

/** One of the platform's streams. */
export interface Seat {
  readonly caller: StreamCaller
  /** Ends the stream. Set once it is open. */
  end?: () => Promise<unknown>
}

/**
 * The streams that platforms may have in this process. One caller may have all of them while nobody else wants one. Once they are
 * taken, a stream goes from the owner with the most to one that has fewer even with it, and likewise between the callers of an
 * owner, until all have the same number.
 */
export class Seats {
  readonly #byPlatform = new Map<string, Set<Seat>>()

  /** A seat, or undefined if this caller cannot have one. `displaced` is the stream that makes room. */
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

/** The oldest open stream of the owner or caller with the most, if it still has as many as this caller afterwards. */
function findDisplaced(taken: readonly Seat[], { owner, name }: StreamCaller): Seat | undefined {
  const ownerOf = ({ caller }: Seat) => caller.owner
  const nameOf = ({ caller }: Seat) => caller.name
  const greediest = withMoreThan(taken, ownerOf, owner)
  // Without one, the callers of this owner share what the owner has.
  const among = taken.filter((seat) => ownerOf(seat) === (greediest ?? owner))
  const loser = greediest === undefined ? withMoreThan(among, nameOf, name) : mostOf(among, nameOf)?.[0]
  return among.find((seat) => nameOf(seat) === loser && seat.end !== undefined)
}

/** The key with the most streams, if those are more than this key has with another one. */
function withMoreThan(
  seats: readonly Seat[],
  keyOf: (seat: Seat) => string,
  own: string,
): string | undefined {
  const most = mostOf(seats, keyOf)
  const mine = seats.filter((seat) => keyOf(seat) === own).length
  return most && mine + 1 < most[1] ? most[0] : undefined
}

function mostOf(
  seats: readonly Seat[],
  keyOf: (seat: Seat) => string,
): readonly [string, number] | undefined {
  const counts = new Map<string, number>()
  for (const seat of seats) counts.set(keyOf(seat), (counts.get(keyOf(seat)) ?? 0) + 1)
  return [...counts].toSorted((one, other) => other[1] - one[1])[0]
}
