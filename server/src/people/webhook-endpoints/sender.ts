import { setTimeout as pause } from 'node:timers/promises'
import { type App, newRequestId } from '../../kernel/operation/app.ts'
import { type Background, runInBackground } from '../../kernel/operation/background.ts'
import { withTimeout } from '../../kernel/operation/timeout.ts'
import { type SendSeries, sendSeries } from '../webhooks/request-series.ts'
import type { ResponseRules } from '../webhooks/response-rules.ts'
import { runEndpoint } from './endpoint-run.ts'
import {
  type ClaimedEndpoint,
  claimEndpoints,
  isAnyEnabled,
  releaseEndpoints,
  selectNextAttempt,
  selectUnsettled,
} from './sender-store.ts'

/** The interval between two checks for due endpoints. A commit with events wakes the sender sooner. */
const CHECK_MS = 500
/**
 * The maximum number of endpoints to which a process sends at the same time. Each has up to 256 requests and
 * 1,024 events in memory.
 */
const RUNS_MAX = 256
/**
 * The pause after a claim, as a multiple of its duration. A claim reads the feeds of all endpoints, so
 * claims are rarer if there are many.
 */
const REST_RATIO = 10
/** The pause before `settle` checks again for another process or the feed. */
const SETTLE_PAUSE_MS = 10

/** Sends events to the endpoints of all platforms. Only one process at a time sends to an endpoint. */
export class Sender {
  readonly #app: App
  readonly #rules: ResponseRules
  readonly #sendSeries: SendSeries
  readonly #stopping = new AbortController()
  readonly #runs = new Map<string, Promise<void>>()
  #background: Background | undefined
  #hasEndpoints = false
  #checkedMs = Number.NEGATIVE_INFINITY
  #wakeAfterRun = false

  constructor(app: App, rules: ResponseRules, send: SendSeries = sendSeries) {
    this.#app = app
    this.#rules = rules
    this.#sendSeries = send
  }

  /** Starts to send due events: every half second, and when woken. */
  start(): Background {
    const { tracing, log } = this.#app
    // Keeps the work out of the trace that wakes the sender.
    const check = () => (tracing ? tracing.apart(() => this.#check()) : this.#check())
    const background = runInBackground(
      CHECK_MS,
      check,
      (error) => log.error({ err: error }, 'failed to look for due webhook endpoints'),
      { restRatio: REST_RATIO },
    )
    this.#background = background
    return {
      ...background,
      stop: async () => {
        this.#stopping.abort()
        await background.stop()
        await Promise.all(this.#runs.values())
      },
    }
  }

  /** Ends the claims of an exited process. Only for a database with a single process. */
  releaseClaims(): Promise<void> {
    return releaseEndpoints(this.#app.db)
  }

  /** Checks for enabled endpoints again, because one was added. */
  endpointAdded(): void {
    this.#checkedMs = Number.NEGATIVE_INFINITY
    this.#background?.wake()
  }

  /**
   * Sends everything that is due at a platform's endpoints. Waits until it was sent, but at most until
   * `untilMs` by `performance.now()`.
   */
  async settle(platformId: string, untilMs: number): Promise<void> {
    const { db, clock } = this.#app
    for (;;) {
      const leftMs = untilMs - performance.now()
      if (leftMs <= 0 || this.#stopping.signal.aborted) return
      const endpoints = await selectUnsettled(db, platformId, clock())
      if (endpoints.length === 0) return
      await this.#claim(RUNS_MAX, platformId)
      const running = endpoints.flatMap((id) => this.#runs.get(id) ?? [])
      if (running.length > 0) await withTimeout(leftMs, Promise.all(running))
      else await pause(SETTLE_PAUSE_MS)
    }
  }

  /** Returns the time of a platform's next attempt after now and up to `until`. */
  nextDue(platformId: string, until: Date): Promise<Date | undefined> {
    return selectNextAttempt(this.#app.db, platformId, this.#app.clock(), until)
  }

  async #check(): Promise<void> {
    // Commits wake the sender often, so the existence of endpoints is cached for a while.
    if (performance.now() - this.#checkedMs >= CHECK_MS) {
      this.#checkedMs = performance.now()
      this.#hasEndpoints = await isAnyEnabled(this.#app.db)
    }
    const free = RUNS_MAX - this.#runs.size
    if (!this.#hasEndpoints || free <= 0) return
    this.#wakeAfterRun = this.#runs.size > 0
    await this.#claim(free)
  }

  async #claim(max: number, platformId?: string): Promise<void> {
    const { db, clock } = this.#app
    if (this.#stopping.signal.aborted) return
    const now = clock()
    const claim = { claim: newRequestId(now), now, max, ...(platformId === undefined ? {} : { platformId }) }
    for (const claimed of await claimEndpoints(db, claim)) this.#run(claimed)
  }

  /** Starts a run once an earlier run of the endpoint, which has lost its claim, has ended. */
  #run(claimed: ClaimedEndpoint): void {
    const { id } = claimed.endpoint
    const before = this.#runs.get(id) ?? Promise.resolve()
    const run = before
      .then(() =>
        runEndpoint(this.#app, claimed, {
          rules: this.#rules,
          sendSeries: this.#sendSeries,
          stopping: this.#stopping.signal,
        }),
      )
      .finally(() => {
        if (this.#runs.get(id) === run) this.#runs.delete(id)
        if (this.#wakeAfterRun) this.#background?.wake()
      })
    this.#runs.set(id, run)
  }
}
