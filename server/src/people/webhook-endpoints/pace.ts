import { SERIES_MS_MAX } from '../webhooks/request-series.ts'

/** The maximum number of requests that one endpoint handles at the same time. */
const AT_ONCE_MAX = 32
const AT_ONCE_FIRST = 8
/** The maximum number of requests that are in progress or wait for a connection. */
const PASSED_ON_MAX = 256
/** Requests are passed on before a connection is free if they will probably wait no longer than this for one. */
const AHEAD_MS = 20
/** The maximum number of events in one series. */
const SERIES_MAX = 128
/** Response times are whole milliseconds, so the average of a fast endpoint may be near 0. */
const RESPONSE_MS_MIN = 0.5
/** The weight of the latest response time in the average. */
const LATEST_WEIGHT = 1 / 16

/** Controls the number of requests to an endpoint: grows with each response and halves after a failure. */
export class Pace {
  #atOnce = AT_ONCE_FIRST
  /** The average response time. It includes the wait for a connection. */
  #averageMs: number | undefined

  /** The number of requests that may be in progress or wait for a connection. */
  get max(): number {
    const ahead = this.#averageMs === undefined ? 0 : AHEAD_MS / Math.max(1, this.#averageMs)
    return Math.min(PASSED_ON_MAX, Math.floor(this.#atOnce * (1 + ahead)))
  }

  /**
   * The number of events in a series: up to twice as many as the endpoint probably receives in the time of one, so
   * that few are signed and not sent.
   */
  get seriesMax(): number {
    if (this.#averageMs === undefined) return 1
    return Math.min(
      SERIES_MAX,
      1 + Math.floor((2 * SERIES_MS_MAX) / Math.max(RESPONSE_MS_MIN, this.#averageMs)),
    )
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
