/** The maximum number of requests that one endpoint handles at the same time. */
const AT_ONCE_MAX = 32
const AT_ONCE_FIRST = 8
/** The maximum number of requests that are in progress or wait for a connection. */
const PASSED_ON_MAX = 256
/** Requests are passed on before a connection is free if they will probably wait no longer than this for one. */
const AHEAD_MS = 20
/** The weight of the latest response time in the average. */
const LATEST_WEIGHT = 1 / 16

/** How many requests an endpoint gets: more while it responds, half as many after a failure. */
export class Pace {
  #atOnce = AT_ONCE_FIRST
  /** The average response time. It includes the wait for a connection. */
  #averageMs: number | undefined

  /** The number of requests that may be in progress or wait for a connection. */
  get max(): number {
    const ahead = this.#averageMs === undefined ? 0 : AHEAD_MS / Math.max(1, this.#averageMs)
    return Math.min(PASSED_ON_MAX, Math.floor(this.#atOnce * (1 + ahead)))
  }

  received(durationMs: number): void {
    this.#atOnce = Math.min(AT_ONCE_MAX, this.#atOnce + 1 / this.#atOnce)
    const before = this.#averageMs ?? durationMs
    this.#averageMs = before + (durationMs - before) * LATEST_WEIGHT
  }

  failed(): void {
    this.#atOnce = Math.max(1, this.#atOnce / 2)
  }
}

/** The limit for events that do not wait for others. */
export const APART_MAX = PASSED_ON_MAX
