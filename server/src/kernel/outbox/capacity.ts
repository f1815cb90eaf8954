import { tableOf } from '@countersign/contract/core/objects'
import { LANE_NAMES, LANES, type LaneName } from './lanes.ts'

/** Jobs that take longer are slow: their endpoint hangs, or nearly does. */
const SLOW_MS = 2000

/**
 * Multiple of its share that a platform must have free before its next jobs are searched for: 2 means that
 * about half of its share is free. Slow jobs are refilled sooner: few end per second, and an empty place
 * would stay empty for long.
 */
const LEFT_FREE = { usual: 2, slow: 9 / 8 }

/** A job that could be started. */
export interface Candidate {
  readonly id: string
  readonly lane: LaneName
  readonly platformId: string
}

/** The maximum number of jobs to start per lane, and the platforms that cannot start any. */
export type Offer = Readonly<Record<LaneName, { readonly free: number; readonly full: readonly string[] }>>

/**
 * The capacity of a process for jobs. A platform takes at most a fixed part of the free capacity, so each
 * further platform takes less than the one before and leaves some for the next: no platform waits behind an
 * unresponsive system of another.
 */
export class Capacity {
  readonly #taken = tableOf(LANE_NAMES, () => new Map<string, number>())
  readonly #free = tableOf(LANE_NAMES, (lane): number => LANES[lane].atOnceMax)
  /**
   * Platforms that may have more due jobs than there was capacity for. Their new jobs queue behind the older
   * ones.
   */
  readonly #behind = tableOf(LANE_NAMES, () => new Set<string>())
  /** Platforms whose last job was slow. */
  readonly #slow = tableOf(LANE_NAMES, () => new Set<string>())

  /** True if no platform has free capacity. */
  get isFull(): boolean {
    return LANE_NAMES.every((lane) => this.#free[lane] < LANES[lane].shareOfPlatform)
  }

  offer(): Offer {
    return tableOf(LANE_NAMES, (lane) => ({
      free: Math.max(0, this.#free[lane]),
      full: [...new Set([...this.#taken[lane].keys(), ...this.#slow[lane]])].filter(
        (platformId) => !this.hasFor(lane, platformId),
      ),
    }))
  }

  hasFor(lane: LaneName, platformId: string): boolean {
    return ((this.#taken[lane].get(platformId) ?? 0) + 1) * this.#othersShare(lane) < this.#free[lane]
  }

  /** Takes capacity even if nothing is free, because `clock/advance` may start more. */
  take(lane: LaneName, platformId: string): void {
    this.#taken[lane].set(platformId, (this.#taken[lane].get(platformId) ?? 0) + 1)
    this.#free[lane] -= 1
  }

  release(lane: LaneName, platformId: string): void {
    const left = (this.#taken[lane].get(platformId) ?? 1) - 1
    if (left === 0) this.#taken[lane].delete(platformId)
    else this.#taken[lane].set(platformId, left)
    this.#free[lane] += 1
  }

  /** Releases capacity after a job of this duration. */
  releaseAfter(lane: LaneName, platformId: string, tookMs: number): void {
    if (tookMs > SLOW_MS) this.#slow[lane].add(platformId)
    else this.#slow[lane].delete(platformId)
    this.release(lane, platformId)
  }

  /** Takes capacity for a new job of a platform, if it is free and no older job of the platform waits. */
  takeForNew(lane: LaneName, platformId: string): boolean {
    if (this.#behind[lane].has(platformId)) return false
    if (this.hasFor(lane, platformId)) {
      this.take(lane, platformId)
      return true
    }
    this.#behind[lane].add(platformId)
    return false
  }

  /** Takes capacity for as many of `due`, in order, as possible; `offer` is the one used for the query. */
  takeFor<C extends Candidate>(due: readonly C[], offer: Offer): C[] {
    const isCut = tableOf(
      LANE_NAMES,
      (lane) => due.filter((one) => one.lane === lane).length >= offer[lane].free,
    )
    for (const lane of LANE_NAMES) this.#behind[lane] = new Set(offer[lane].full)
    return due.filter(({ lane, platformId }) => {
      const fits = this.hasFor(lane, platformId)
      if (fits) this.take(lane, platformId)
      if (!fits || isCut[lane]) this.#behind[lane].add(platformId)
      return fits
    })
  }

  /**
   * True if more jobs of a platform should be searched for. Not after each job, because a search is a
   * statement.
   */
  wantsMore(lane: LaneName, platformId: string): boolean {
    const taken = this.#taken[lane].get(platformId) ?? 0
    const left = LEFT_FREE[this.#slow[lane].has(platformId) ? 'slow' : 'usual']
    const isLeft = taken * left * this.#othersShare(lane) <= this.#free[lane]
    return isLeft && this.#behind[lane].has(platformId)
  }

  /** Free capacity required for each job that a platform starts. */
  #othersShare(lane: LaneName): number {
    return LANES[lane].shareOfPlatform - 1
  }
}
