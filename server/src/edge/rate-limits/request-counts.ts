export const WINDOW_MS = 60_000

/** The requests of one caller in one window. */
interface Count {
  own: number
  /** The count last reported by other servers. */
  others: number
  /** The value of `own` when it was last reported. */
  reported: number
}

/** The usage of a caller's limit. */
export interface Standing {
  readonly isAllowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
  /** Seconds until another request is allowed, if this one is not. */
  readonly retrySeconds: number
}

/** A count to be reported to other servers. */
export interface ReportedCount {
  readonly key: string
  readonly window: number
  readonly count: number
}

/** The maximum number of remembered callers, so that a flood of addresses cannot exhaust the memory. */
const KEYS_MAX = 100_000

/**
 * Counts requests by caller in one-minute windows. The previous window counts in proportion to its overlap
 * with the last sixty seconds, so that no caller gets twice the limit around the boundary of two windows.
 */
export class RequestCounts {
  #window = 0
  #now = new Map<string, Count>()
  #before = new Map<string, number>()

  /** Counts a request unless it exceeds the limit. */
  take(key: string, limit: number, nowMs: number): Standing {
    this.#advanceWindow(nowMs)
    const count = this.#findCount(key)
    const passedMs = nowMs % WINDOW_MS
    const before = this.#before.get(key) ?? 0
    const carried = (before * (WINDOW_MS - passedMs)) / WINDOW_MS
    const inWindow = count.own + count.others
    const isAllowed = inWindow + 1 + carried <= limit
    if (isAllowed) count.own += 1
    const used = count.own + count.others + carried
    const resetMs = WINDOW_MS - passedMs
    return {
      isAllowed,
      limit,
      remaining: Math.max(0, Math.floor(limit - used)),
      resetSeconds: toSeconds(resetMs),
      retrySeconds: isAllowed ? 0 : toSeconds(computeWaitMs(limit, inWindow, before, resetMs)),
    }
  }

  /** The changed counts that have reached the caller's reporting threshold. */
  listCountsToReport(getThreshold: (key: string) => number, nowMs: number): ReportedCount[] {
    this.#advanceWindow(nowMs)
    const counts: ReportedCount[] = []
    for (const [key, count] of this.#now) {
      if (count.own === count.reported || count.own + count.others < getThreshold(key)) continue
      count.reported = count.own
      counts.push({ key, window: this.#window, count: count.own })
    }
    return counts
  }

  /** Adds the count reported by other servers. */ addReport({ key, window, count }: ReportedCount): void {
    if (window === this.#window) this.#findCount(key).others = count
  }

  #findCount(key: string): Count {
    const known = this.#now.get(key)
    if (known) return known
    if (this.#now.size >= KEYS_MAX) this.#deleteOldest()
    const count = { own: 0, others: 0, reported: 0 }
    this.#now.set(key, count)
    return count
  }

  #deleteOldest(): void {
    const oldest = this.#now.keys().next()
    if (!oldest.done) this.#now.delete(oldest.value)
  }

  #advanceWindow(nowMs: number): void {
    const window = Math.floor(nowMs / WINDOW_MS)
    if (window === this.#window) return
    const isNext = window === this.#window + 1
    this.#before = isNext
      ? new Map([...this.#now].map(([key, { own, others }]) => [key, own + others]))
      : new Map()
    this.#now = new Map()
    this.#window = window
  }
}

/** The time until enough of the previous or current window has passed for one more request. */
function computeWaitMs(limit: number, inWindow: number, before: number, resetMs: number): number {
  if (inWindow >= limit) return resetMs
  return resetMs - ((limit - 1 - inWindow) * WINDOW_MS) / before
}

function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000))
}
