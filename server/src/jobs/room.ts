import { LANE_NAMES, LANES, type LaneName } from './lanes.ts'

/** Work that takes longer is slow: an endpoint hangs, or nearly so. */
const SLOW_MS = 2000

/** Work that could be begun. */
export interface Candidate {
  readonly id: string
  readonly lane: LaneName
  readonly platformId: string
}

/** How much of each lane can be begun at most, and for which platforms nothing can be. */
export type Offer = Readonly<Record<LaneName, { readonly free: number; readonly full: readonly string[] }>>

/**
 * The room that a process has for due work. A platform takes at most a given part of what nobody else has taken, so each one
 * that comes takes less than the one before it and leaves some for the next: nobody waits behind the work of somebody
 * whose endpoint does not answer. Those whose last work was slow take less, and however many they are, they leave room
 * that only others can take.
 */
export class Room {
  readonly #taken = byLane(() => new Map<string, number>())
  readonly #free = byLane((lane): number => LANES[lane].atOnceMax)
  /** Platforms of which more may be due than there was room for: who came first is first, also in the database. */
  readonly #behind = byLane(() => new Set<string>())
  /** Platforms whose last work was slow. */
  readonly #slow = byLane(() => new Set<string>())

  /** Whether there is room for anybody. */
  get isFull(): boolean {
    return LANE_NAMES.every((lane) => this.#free[lane] < LANES[lane].shareOfPlatform)
  }

  offer(): Offer {
    return byLane((lane) => ({
      free: Math.max(0, this.#free[lane]),
      full: [...new Set([...this.#taken[lane].keys(), ...this.#slow[lane]])].filter(
        (platformId) => !this.hasFor(lane, platformId),
      ),
    }))
  }

  hasFor(lane: LaneName, platformId: string): boolean {
    return (
      ((this.#taken[lane].get(platformId) ?? 0) + 1) * this.#othersShare(lane, platformId) < this.#free[lane]
    )
  }

  /** Takes room, whether there is any or not: `clock/advance` may bring more. */
  take(lane: LaneName, platformId: string): void {
    this.#taken[lane].set(platformId, (this.#taken[lane].get(platformId) ?? 0) + 1)
    this.#free[lane] -= 1
  }

  release(lane: LaneName, platformId: string): void {
    const left = this.#taken[lane].get(platformId)! - 1
    if (left === 0) this.#taken[lane].delete(platformId)
    else this.#taken[lane].set(platformId, left)
    this.#free[lane] += 1
  }

  /** Release, where the work took so long. */
  done(lane: LaneName, platformId: string, tookMs: number): void {
    if (tookMs > SLOW_MS) this.#slow[lane].add(platformId)
    else this.#slow[lane].delete(platformId)
    this.release(lane, platformId)
  }

  /** Takes room for new work of a platform, if there is any and nothing older of it waits. */
  takeForNew(lane: LaneName, platformId: string): boolean {
    if (this.#behind[lane].has(platformId)) return false
    if (this.hasFor(lane, platformId)) {
      this.take(lane, platformId)
      return true
    }
    this.#behind[lane].add(platformId)
    return false
  }

  /** Takes room for what there is room for of `due`, in its order, which was asked for with `offer`. */
  takeFor<C extends Candidate>(due: readonly C[], offer: Offer): C[] {
    const isCut = byLane((lane) => due.filter((one) => one.lane === lane).length >= offer[lane].free)
    for (const lane of LANE_NAMES) this.#behind[lane] = new Set(offer[lane].full)
    return due.filter(({ lane, platformId }) => {
      const hasRoom = this.hasFor(lane, platformId)
      if (hasRoom) this.take(lane, platformId)
      if (!hasRoom || isCut[lane]) this.#behind[lane].add(platformId)
      return hasRoom
    })
  }

  /** Whether it is time to look for more of a platform's work. Not for each one's room: a look is a statement. */
  wantsMore(lane: LaneName, platformId: string): boolean {
    const taken = this.#taken[lane].get(platformId) ?? 0
    const isHalfDone = taken * 2 * this.#othersShare(lane, platformId) <= this.#free[lane]
    return isHalfDone && this.#behind[lane].has(platformId)
  }

  /** How much has to be free for each part that a platform takes. */
  #othersShare(lane: LaneName, platformId: string): number {
    const { shareOfPlatform, shareOfSlow } = LANES[lane]
    return (this.#slow[lane].has(platformId) ? shareOfSlow : shareOfPlatform) - 1
  }
}

function byLane<T>(of: (lane: LaneName) => T): Record<LaneName, T> {
  return Object.fromEntries(LANE_NAMES.map((lane) => [lane, of(lane)])) as Record<LaneName, T>
}
