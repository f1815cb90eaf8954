export const WINDOW_MS = 60_000

/** The requests of one caller in one window. */
interface Count {
  own: number
  /** The count of other servers, as far as they have reported it. */
  others: number
  /** The value of `own` when it was last reported. */
  told: number
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

/**
 * Beyond this number the oldest callers are forgotten, so that a flood of addresses cannot exhaust the
 * memory.
 */
const KEYS_MAX = 100_000

/**
 * Counts requests by caller, in windows of one minute. The previous window counts in proportion to its
 * overlap with the last sixty seconds, so that no caller gets twice the limit where two windows meet.
 */
export class RequestCounts {
  #window = 0
  #now = new Map<string, Count>()
  #before = new Map<string, number>()

  /** Counts a request unless it exceeds the limit. */
  take(key: string, limit: number, nowMs: number): Standing {
    this.#turn(nowMs)
    const count = this.#countOf(key)
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
      resetSeconds: seconds(resetMs),
      retrySeconds: isAllowed ? 0 : seconds(waitMs(limit, inWindow, before, resetMs)),
    }
  }

  /** The counts that have changed and exceed the share of the limit at which they are reported. */
  countsToReport(share: (key: string) => number, nowMs: number): ReportedCount[] {
    this.#turn(nowMs)
    const reported: ReportedCount[] = []
    for (const [key, count] of this.#now) {
      if (count.own === count.told || count.own + count.others < share(key)) continue
      count.told = count.own
      reported.push({ key, window: this.#window, count: count.own })
    }
    return reported
  }

  /** Adds the count reported by other servers. */
  hear({ key, window, count }: ReportedCount): void {
    if (window === this.#window) this.#countOf(key).others = count
  }

  #countOf(key: string): Count {
    const known = this.#now.get(key)
    if (known) return known
    if (this.#now.size >= KEYS_MAX) this.#deleteOldest()
    const count = { own: 0, others: 0, told: 0 }
    this.#now.set(key, count)
    return count
  }

  #deleteOldest(): void {
    const oldest = this.#now.keys().next()
    if (!oldest.done) this.#now.delete(oldest.value)
  }

  #turn(nowMs: number): void {
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
function waitMs(limit: number, inWindow: number, before: number, resetMs: number): number {
  if (inWindow >= limit) return resetMs
  return resetMs - ((limit - 1 - inWindow) * WINDOW_MS) / before
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000))
}
