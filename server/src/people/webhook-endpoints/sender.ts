import { setTimeout as pause } from 'node:timers/promises'
import { type App, newRequestId } from '../../kernel/operation/app.ts'
import { type Background, inBackground } from '../../kernel/operation/background.ts'
import { inTime } from '../../kernel/operation/timeout.ts'
import { type SendSeries, sendSeries } from '../webhooks/request-series.ts'
import type { AnswerRules } from '../webhooks/response-rules.ts'
import { runEndpoint } from './endpoint-run.ts'
import {
  type Claimed,
  claimEndpoints,
  isAnyEnabled,
  releaseEndpoints,
  selectNextAttempt,
  selectUnsettled,
} from './sender-store.ts'

/** The interval of looking for endpoints with something due. A commit with events wakes the sender sooner. */
const LOOK_MS = 500
/**
 * The maximum number of endpoints that a process sends to at the same time: each has up to 32 requests and
 * 1,024 events in memory.
 */
const RUNS_MAX = 256
/**
 * A claim reads the feeds of all endpoints: the more there are, the rarer the claims. The pause after one, as
 * a multiple of its duration.
 */
const REST_SHARE = 10
/** The wait of a clock advance for another process, or for the feed, before it checks again. */
const ELSEWHERE_MS = 10

/** Sends events to the endpoints of all platforms. Only one process at a time sends to an endpoint. */
export class Sender {
  readonly #app: App
  readonly #rules: AnswerRules
  readonly #sendSeries: SendSeries
  readonly #stopping = new AbortController()
  readonly #runs = new Map<string, Promise<void>>()
  #background: Background | undefined
  #isAny = false
  #lookedMs = Number.NEGATIVE_INFINITY
  #isWokenMeanwhile = false

  constructor(app: App, rules: AnswerRules, send: SendSeries = sendSeries) {
    this.#app = app
    this.#rules = rules
    this.#sendSeries = send
  }

  /** Sends due events from now on: when woken, and every half second. */
  start(): Background {
    const { tracing, log } = this.#app
    // The work is not part of the trace that wakes it.
    const look = () => (tracing ? tracing.apart(() => this.#look()) : this.#look())
    const background = inBackground(
      LOOK_MS,
      look,
      (error) => log.error({ err: error }, 'looking for webhook endpoints failed'),
      { restShare: REST_SHARE },
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

  /** Ends an exited process's claims. For a database used by only one process. */
  releaseClaims(): Promise<void> {
    return releaseEndpoints(this.#app.db)
  }

  /** Looks again for endpoints that it may have missed. */
  endpointAdded(): void {
    this.#lookedMs = Number.NEGATIVE_INFINITY
    this.#background?.wake()
  }

  /** Sends what a platform's endpoints have to receive by now, and waits for it until `untilMs`, by `performance.now()`. */
  async settle(platformId: string, untilMs: number): Promise<void> {
    const { db, clock } = this.#app
    for (;;) {
      const leftMs = untilMs - performance.now()
      if (leftMs <= 0 || this.#stopping.signal.aborted) return
      const endpoints = await selectUnsettled(db, platformId, clock())
      if (endpoints.length === 0) return
      await this.#claim(RUNS_MAX, platformId)
      const running = endpoints.flatMap((id) => this.#runs.get(id) ?? [])
      if (running.length > 0) await inTime(leftMs, Promise.all(running))
      else await pause(ELSEWHERE_MS)
    }
  }

  /** When a platform's next attempt is due, later than now and not later than `until`. */
  nextDue(platformId: string, until: Date): Promise<Date | undefined> {
    return selectNextAttempt(this.#app.db, platformId, this.#app.clock(), until)
  }

  async #look(): Promise<void> {
    // Commits wake it often, so it briefly remembers whether there are endpoints.
    if (performance.now() - this.#lookedMs >= LOOK_MS) {
      this.#lookedMs = performance.now()
      this.#isAny = await isAnyEnabled(this.#app.db)
    }
    const free = RUNS_MAX - this.#runs.size
    if (!this.#isAny || free <= 0) return
    this.#isWokenMeanwhile = this.#runs.size > 0
    await this.#claim(free)
  }

  async #claim(max: number, platformId?: string): Promise<void> {
    const { db, clock } = this.#app
    if (this.#stopping.signal.aborted) return
    const now = clock()
    const claim = { claim: newRequestId(now), now, max, ...(platformId === undefined ? {} : { platformId }) }
    for (const claimed of await claimEndpoints(db, claim)) this.#run(claimed)
  }

  /** An earlier run of the endpoint ends first: it has lost its claim. */
  #run(claimed: Claimed): void {
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
        if (this.#isWokenMeanwhile) this.#background?.wake()
      })
    this.#runs.set(id, run)
  }
}
