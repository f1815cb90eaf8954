import { SERIES_MS_MAX } from '../webhooks/request-series.ts'

/** The maximum number of requests that are in progress or waiting for a connection. */
export const OPEN_MAX = 256
/** The maximum number of requests to one endpoint at the same time, if each needs its own connection. */
const PARALLEL_MAX = 32
const PARALLEL_START = 8
/** Requests queue for a connection if they will probably get one within this time. */
const AHEAD_MS = 20
/** The maximum number of events in one series. */
const SERIES_MAX = 128
/** Response times are whole milliseconds, so the average of a fast endpoint may be near 0. */
const RESPONSE_MS_MIN = 0.5
/** The weight of the latest response time in the average. */
const LATEST_WEIGHT = 1 / 16

/**
 * Controls the number of requests to an endpoint. It halves after each failure. Until the first failure it
 * grows by one with each response, and later by one with each round of responses.
 */
export class Pace {
  #parallel = PARALLEL_START
  #hasFailed = false
  /** The average response time, including the wait for a connection. */
  #averageMs: number | undefined

  /** The number of requests that may be in progress or waiting for a connection. */
  get max(): number {
    const ahead = this.#averageMs === undefined ? 0 : AHEAD_MS / Math.max(1, this.#averageMs)
    return Math.min(OPEN_MAX, Math.floor(this.#parallel * (1 + ahead)))
  }

  /**
   * The number of events in a series: up to twice as many as the endpoint can probably receive within
   * `SERIES_MS_MAX`, so that few are signed without being sent.
   */
  get seriesMax(): number {
    if (this.#averageMs === undefined) return 1
    return Math.min(
      SERIES_MAX,
      1 + Math.floor((2 * SERIES_MS_MAX) / Math.max(RESPONSE_MS_MIN, this.#averageMs)),
    )
  }

  recordResponse(durationMs: number, { isMultiplexed = false } = {}): void {
    const growth = this.#hasFailed ? 1 / this.#parallel : 1
    this.#parallel = Math.min(isMultiplexed ? OPEN_MAX : PARALLEL_MAX, this.#parallel + growth)
    const before = this.#averageMs ?? durationMs
    this.#averageMs = before + (durationMs - before) * LATEST_WEIGHT
  }

  recordFailure(): void {
    this.#hasFailed = true
    this.#parallel = Math.max(1, this.#parallel / 2)
  }
}
