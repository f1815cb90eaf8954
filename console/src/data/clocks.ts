/** `platform`: the clock of the platform, which a sandbox can move ahead. `real`: real time, which sign-ins and requests have. */
export type ClockName = 'platform' | 'real'

const TICK_MS = 30_000
/** Responses take time, and their clocks have a resolution of a second: smaller differences are noise. */
const NOISE_MS = 2_500

/**
 * The clocks that times on the page are relative to, as reported by the server: the browser's own clock may
 * be wrong. They tick while there are listeners.
 */
class Clocks {
  /** The server's real time less the browser's. */
  #serverMs = 0
  /** The platform's clock less real time. */
  #aheadMs = 0
  #seenAt = Date.now()
  #timer: ReturnType<typeof setInterval> | undefined
  readonly #listeners = new Set<() => void>()

  /** The time on a clock at the last tick, in milliseconds. */
  now(clock: ClockName): number {
    return this.#seenAt + this.#serverMs + (clock === 'platform' ? this.#aheadMs : 0)
  }

  /** The milliseconds that the platform's clock is ahead of real time; 0 if they agree. */
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

  /** Sets the real time from the `Date` header of a response that has just arrived. */
  serverSays(date: string | null): void {
    const serverMs = Date.parse(date ?? '') - Date.now()
    if (!(Math.abs(serverMs - this.#serverMs) > NOISE_MS)) return
    this.#serverMs = Math.abs(serverMs) > NOISE_MS ? serverMs : 0
    this.#tick()
  }

  /** Sets the time of the platform, which the browser received at `gotAt` by its own clock. */
  platformSays(now: string, gotAt: number): void {
    const aheadMs = Date.parse(now) - gotAt - this.#serverMs
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
