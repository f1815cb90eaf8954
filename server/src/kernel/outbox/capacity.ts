import { buildTable } from '@countersign/contract/core/objects'
import { LANE_NAMES, LANES, type LaneName } from './lanes.ts'

/** Jobs that take longer than this are slow: their endpoint hangs, or nearly does. */
const SLOW_MS = 2000

/**
 * A platform's next jobs are searched for once the free capacity is this multiple of what they need. 2 means
 * that about half of the platform's share is free. Slow jobs are refilled sooner: few finish per second, so
 * capacity would stay unused for long.
 */
const FREE_MULTIPLES = { usual: 2, slow: 9 / 8 }

/** A job that could be started. */
export interface Candidate {
  readonly id: string
  readonly lane: LaneName
  readonly platformId: string
}

/** The maximum number of jobs to start per lane, and the platforms that may not start any. */
export type Offer = Readonly<Record<LaneName, { readonly free: number; readonly full: readonly string[] }>>

/**
 * The capacity of a process for jobs. A platform may take only a fixed part of the free capacity, so each
 * further platform gets less than the previous one and leaves some for the next. No platform has to wait
 * because another platform's systems do not respond.
 */
export class Capacity {
  readonly #taken = buildTable(LANE_NAMES, () => new Map<string, number>())
  readonly #free = buildTable(LANE_NAMES, (lane): number => LANES[lane].atOnceMax)
  /**
   * Platforms that may have more due jobs than there was capacity for. Their new jobs wait behind the older
   * ones.
   */
  readonly #backlogged = buildTable(LANE_NAMES, () => new Set<string>())
  /** Platforms whose last job was slow. */
  readonly #slow = buildTable(LANE_NAMES, () => new Set<string>())

  /** True if there is no free capacity for any platform. */
  get isFull(): boolean {
    return LANE_NAMES.every((lane) => this.#free[lane] < LANES[lane].shareOfPlatform)
  }

  offer(): Offer {
    return buildTable(LANE_NAMES, (lane) => ({
      free: Math.max(0, this.#free[lane]),
      full: [...new Set([...this.#taken[lane].keys(), ...this.#slow[lane]])].filter(
        (platformId) => !this.hasFor(lane, platformId),
      ),
    }))
  }

  hasFor(lane: LaneName, platformId: string): boolean {
    return ((this.#taken[lane].get(platformId) ?? 0) + 1) * this.#othersShare(lane) < this.#free[lane]
  }

  /** Takes capacity even if none is free: `clock/advance` may exceed the limit. */
  take(lane: LaneName, platformId: string): void {
    this.#taken[lane].set(platformId, (this.#taken[lane].get(platformId) ?? 0) + 1)
    this.#free[lane] -= 1
  }

  release(lane: LaneName, platformId: string): void {
    const remaining = (this.#taken[lane].get(platformId) ?? 1) - 1
    if (remaining === 0) this.#taken[lane].delete(platformId)
    else this.#taken[lane].set(platformId, remaining)
    this.#free[lane] += 1
  }

  /** Releases capacity after a job that took this long. */
  releaseAfter(lane: LaneName, platformId: string, tookMs: number): void {
    if (tookMs > SLOW_MS) this.#slow[lane].add(platformId)
    else this.#slow[lane].delete(platformId)
    this.release(lane, platformId)
  }

  /** Takes capacity for a new job if there is some, and if no older job of the platform is waiting. */
  takeForNew(lane: LaneName, platformId: string): boolean {
    if (this.#backlogged[lane].has(platformId)) return false
    if (this.hasFor(lane, platformId)) {
      this.take(lane, platformId)
      return true
    }
    this.#backlogged[lane].add(platformId)
    return false
  }

  /**
   * Takes capacity for as many of the `due` jobs as possible, in order. `offer` must be the one used for the
   * query.
   */
  takeFor<C extends Candidate>(due: readonly C[], offer: Offer): C[] {
    const isTruncated = buildTable(
      LANE_NAMES,
      (lane) => due.filter((job) => job.lane === lane).length >= offer[lane].free,
    )
    for (const lane of LANE_NAMES) this.#backlogged[lane] = new Set(offer[lane].full)
    return due.filter(({ lane, platformId }) => {
      const fits = this.hasFor(lane, platformId)
      if (fits) this.take(lane, platformId)
      if (!fits || isTruncated[lane]) this.#backlogged[lane].add(platformId)
      return fits
    })
  }

  /**
   * True if it is time to search for more jobs of a platform. A search is a statement, so it does not happen
   * after every job.
   */
  wantsMore(lane: LaneName, platformId: string): boolean {
    const taken = this.#taken[lane].get(platformId) ?? 0
    const multiple = FREE_MULTIPLES[this.#slow[lane].has(platformId) ? 'slow' : 'usual']
    const hasEnoughFree = taken * multiple * this.#othersShare(lane) <= this.#free[lane]
    return hasEnoughFree && this.#backlogged[lane].has(platformId)
  }

  /** The free capacity that must remain for others per job of a platform. */
  #othersShare(lane: LaneName): number {
    return LANES[lane].shareOfPlatform - 1
  }
}
