/**
 * `platform` is the platform's clock, which can be moved ahead in a sandbox. `real` is real time, which
 * applies to sign-ins and requests.
 */
export type ClockName = 'platform' | 'real'

const TICK_MS = 30_000
/**
 * Differences below this are ignored, because of response times and clocks with a resolution of one second.
 */
const NOISE_MS = 2_500

/**
 * The clocks used for relative times on the pages. They follow the server, because the browser's clock may be
 * wrong. They tick only while there are listeners.
 */
class Clocks {
  /** The server's clock minus the browser's. */
  #serverMs = 0
  /** The platform's clock minus real time. */
  #aheadMs = 0
  #seenAt = Date.now()
  #timer: ReturnType<typeof setInterval> | undefined
  readonly #listeners = new Set<() => void>()

  /** The time of a clock at the latest tick, in milliseconds. */
  now(clock: ClockName): number {
    return this.#seenAt + this.#serverMs + (clock === 'platform' ? this.#aheadMs : 0)
  }

  /** The time by which the platform's clock is ahead of real time, in milliseconds. 0 if they agree. */
  readonly aheadMs = (): number => this.#aheadMs

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#timer === undefined) {
      this.#seenAt = Date.now()
      this.#timer = setInterval(() => this.#tick(), TICK_MS)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  /** Updates real time from the `Date` header of a response that has just arrived. */
  setServerTime(date: string | null): void {
    const serverMs = Date.parse(date ?? '') - Date.now()
    if (!(Math.abs(serverMs - this.#serverMs) > NOISE_MS)) return
    this.#serverMs = Math.abs(serverMs) > NOISE_MS ? serverMs : 0
    this.#tick()
  }

  /** Updates the platform's time. `gotAt` is the browser's time when it was received. */
  setPlatformTime(now: string, receivedAtMs: number): void {
    const aheadMs = Date.parse(now) - receivedAtMs - this.#serverMs
    if (Math.abs(aheadMs - this.#aheadMs) <= NOISE_MS) return
    this.#aheadMs = Math.abs(aheadMs) > NOISE_MS ? aheadMs : 0
    this.#tick()
  }

  #tick(): void {
    this.#seenAt = Date.now()
    for (const listener of this.#listeners) listener()
  }
}

export const clocks = new Clocks()
