import { EVENT_STREAMS_MAX } from '@countersign/contract/events/event-stream'
import type { StreamCaller } from '../../kernel/ports/event-streams.ts'

/** A slot for one of the streams that a platform may have. */
export interface StreamSlot {
  readonly caller: StreamCaller
  /** Ends the stream. Set once the stream is open. */
  end?: () => Promise<unknown>
}

/**
 * The stream slots of each platform in this process. A caller may use all slots until another caller needs
 * one. Then slots move from the owner with the most to owners with fewer, and likewise between the callers of
 * one owner, until all have the same number.
 */
export class StreamSlots {
  readonly #byPlatform = new Map<string, Set<StreamSlot>>()

  /**
   * Returns a slot, or undefined if this caller cannot have one. `displaced` is the stream that has to end
   * for it.
   */
  take(
    platformId: string,
    caller: StreamCaller,
  ): { readonly slot: StreamSlot; readonly displaced?: StreamSlot } | undefined {
    const taken = this.#byPlatform.get(platformId) ?? new Set<StreamSlot>()
    const displaced = taken.size < EVENT_STREAMS_MAX ? undefined : findDisplaced([...taken], caller)
    if (taken.size >= EVENT_STREAMS_MAX && !displaced) return undefined
    const slot: StreamSlot = { caller }
    if (displaced) taken.delete(displaced)
    taken.add(slot)
    this.#byPlatform.set(platformId, taken)
    return displaced ? { slot, displaced } : { slot }
  }

  leave(platformId: string, slot: StreamSlot): void {
    const taken = this.#byPlatform.get(platformId)
    taken?.delete(slot)
    if (taken?.size === 0) this.#byPlatform.delete(platformId)
  }
}

/**
 * Finds the oldest open stream of the owner or caller with the most streams, if the latter would keep at
 * least as many as this caller.
 */
function findDisplaced(taken: readonly StreamSlot[], { owner, name }: StreamCaller): StreamSlot | undefined {
  const getOwner = ({ caller }: StreamSlot) => caller.owner
  const getName = ({ caller }: StreamSlot) => caller.name
  const largestOwner = findLargerKey(taken, getOwner, owner)
  // If no owner has more, the callers of this owner share its streams.
  const candidates = taken.filter((slot) => getOwner(slot) === (largestOwner ?? owner))
  const displacedName =
    largestOwner === undefined
      ? findLargerKey(candidates, getName, name)
      : countLargest(candidates, getName)?.[0]
  return candidates.find((slot) => getName(slot) === displacedName && slot.end !== undefined)
}

/** Returns the key with the most streams, if it has more than `ownKey` would have with another one. */
function findLargerKey(
  slots: readonly StreamSlot[],
  getKey: (slot: StreamSlot) => string,
  ownKey: string,
): string | undefined {
  const largest = countLargest(slots, getKey)
  const ownCount = slots.filter((slot) => getKey(slot) === ownKey).length
  return largest && ownCount + 1 < largest[1] ? largest[0] : undefined
}

function countLargest(
  slots: readonly StreamSlot[],
  getKey: (slot: StreamSlot) => string,
): readonly [string, number] | undefined {
  const counts = new Map<string, number>()
  for (const slot of slots) counts.set(getKey(slot), (counts.get(getKey(slot)) ?? 0) + 1)
  return [...counts].toSorted((left, right) => right[1] - left[1])[0]
}
