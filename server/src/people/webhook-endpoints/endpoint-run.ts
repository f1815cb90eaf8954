import { type App, createOp, type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { findOpenPlatform } from '../platforms/platforms.ts'
import { type Attempt, attemptAll, loseAnswer, seriesMax } from '../webhooks/delivery-attempt.ts'
import type { SendSeries } from '../webhooks/request-series.ts'
import type { AnswerRule, AnswerRules } from '../webhooks/response-rules.ts'
import { giveUpAt, restUntil, retryAt } from '../webhooks/retry-schedule.ts'
import { secretBytes } from '../webhooks/secrets.ts'
import { AttemptLog } from './attempt-log.ts'
import { disableEndpoint } from './disable.ts'
import { type Delivery, faultOf, isAccepted, isSentAlone, PASSED_SECONDS } from './outcome.ts'
import { APART_MAX, Pace } from './pace.ts'
import { recordProgress } from './progress-store.ts'
import {
  type Claimed,
  type Course,
  type SendingEndpoint,
  type SentEvent,
  selectMadeDue,
  selectNext,
  selectPending,
  selectSecretsOf,
  selectSent,
} from './sender-store.ts'
import { type FeedEvent, type Pending, SendingOrder } from './sending-order.ts'

/** The number of events that one statement reads from the feed. */
const READ_MAX = 256
/** The maximum number of events in memory that were read and neither received nor noted. */
const UNPASSED_MAX = 1024
/** The maximum number of failures per endpoint. Further events wait in the feed. */
const NOTED_MAX = 1000
/** Events received within this time are recorded together. After a crash they are sent again. */
const RECORD_MS = 100
/** After this number of failures in a row the endpoint gets one event at a time until it receives one. */
const FAILURES_IN_A_ROW_MAX = 10
/** A run starts nothing more after this time. The next one reads the platform, its clock, the settings and the secrets again. */
const RUN_MS_MAX = 5_000
const GONE = 410

/** Sends to one endpoint that this process has claimed, until nothing is due or a while is over. Never rejects. */
export async function runEndpoint(
  app: App,
  claimed: Claimed,
  common: Pick<RunParts, 'rules' | 'sendSeries' | 'stopping'>,
): Promise<void> {
  try {
    const platform = await findOpenPlatform(app.read, claimed.endpoint.platform_id)
    if (!platform) return
    const opNow = () => createOp(app, platform, { kind: 'job', jobId: claimed.endpoint.id })
    const failures = await selectPending(app.db, claimed.endpoint)
    await new EndpointRun(app, claimed, { ...common, opNow, failures }).run()
  } catch (error) {
    // The claim expires, and a process continues at the last record.
    app.log.error({ err: error, endpoint: claimed.endpoint.id }, 'sending to a webhook endpoint failed')
  }
}

interface RunParts {
  readonly rules: AnswerRules
  readonly sendSeries: SendSeries
  /** The operation of an attempt that begins now. */
  readonly opNow: () => Op
  readonly failures: readonly Pending<FeedEvent>[]
  readonly stopping: AbortSignal
}

/** An event in flight, and its content. */
interface Sending {
  readonly pending: Pending<FeedEvent>
  readonly event: SentEvent
}

class EndpointRun {
  readonly #app: App
  readonly #claim: string
  readonly #parts: RunParts
  readonly #order: SendingOrder<FeedEvent>
  #endpoint: SendingEndpoint
  #course: Course
  readonly #log: AttemptLog
  #secrets: readonly Uint8Array[] = []
  /** The position read so far, beyond the order's cursor. */
  #readTo: Claimed['cursor']
  #isAtEnd = false
  #readMs = Number.NEGATIVE_INFINITY
  /** Events with their data, by id, until they are received or noted. */
  readonly #data = new Map<string, SentEvent>()
  #sending = 0
  readonly #pace = new Pace()
  readonly #startedMs = performance.now()
  #recordedMs = this.#startedMs
  /** True if something was received or skipped since the last record. */
  #isChanged = false
  #isGone = false
  /** An error that leaves the order in doubt: nothing more is recorded, and the next run begins at the last record. */
  #broken: unknown
  #woken: (() => void) | undefined

  constructor(app: App, { claim, endpoint, cursor, course }: Claimed, parts: RunParts) {
    this.#app = app
    this.#claim = claim
    this.#log = new AttemptLog(endpoint)
    this.#parts = parts
    this.#endpoint = endpoint
    this.#course = course
    this.#readTo = cursor
    this.#order = new SendingOrder(cursor, endpoint.latest_balance_only, parts.failures)
  }

  async run(): Promise<void> {
    const op = this.#parts.opNow()
    const secrets = await selectSecretsOf(this.#app.db, this.#endpoint, op.now)
    this.#secrets = secrets.map((secret) => secretBytes(op, secret))
    while (this.#mayStart()) {
      await this.#startSome()
      if (await this.#read()) await this.#startSome()
      if (this.#sending > 0) await this.#someEnd()
      else if (this.#isAtEnd) break
      if (performance.now() - this.#recordedMs >= RECORD_MS && !(await this.#record(false))) return
    }
    while (this.#sending > 0) await this.#someEnd()
    await this.#end()
  }

  /**
   * Records the rest and leaves the endpoint to others. Disables it if it returned 410 or was unreachable for
   * too long.
   */
  async #end(): Promise<void> {
    const { now } = this.#parts.opNow()
    const { failingSince } = this.#course
    const isAway = failingSince !== undefined && giveUpAt(failingSince) <= now
    if ((await this.#record(true)) && (this.#isGone || isAway))
      await disableEndpoint(
        this.#app,
        this.#parts.opNow(),
        this.#endpoint.id,
        this.#isGone ? 'GONE' : 'UNREACHABLE',
      )
  }

  #mayStart(): boolean {
    return (
      performance.now() - this.#startedMs < RUN_MS_MAX &&
      !this.#parts.stopping.aborted &&
      !this.#isGone &&
      this.#broken === undefined &&
      !this.#isResting() &&
      this.#endpoint.state === 'ENABLED'
    )
  }

  /** After many failures in a row nothing is sent for a while. */
  #isResting(): boolean {
    const { retryAt } = this.#course
    return retryAt !== undefined && retryAt > this.#parts.opNow().now
  }

  /** True if the next attempt tests whether the endpoint works again. */
  #isProbing(): boolean {
    return this.#course.failures >= FAILURES_IN_A_ROW_MAX
  }

  /**
   * Reads the next events to send: from the feed if there is capacity, and those that others made due. At the
   * end of the feed it looks again after a while. Returns true if it has looked.
   */
  async #read(): Promise<boolean> {
    const order = this.#order
    const startedMs = performance.now()
    const isLongAgo = startedMs - this.#readMs >= RECORD_MS
    const isRead = (!this.#isAtEnd || isLongAgo) && order.readyCount < this.#pace.max
    const events = isRead ? await this.#readFeed() : []
    if (events.length === 0 && !isLongAgo) return false
    this.#readMs = startedMs
    // A question is made due in the transaction of its event: read after the feed, it comes before later events of its object.
    if (this.#endpoint.role === 'CONFIGURED')
      for (const pending of await selectMadeDue(this.#app.db, this.#endpoint, order.listNotedIds()))
        order.adopt(pending)
    for (const { is_wanted, ...event } of events) {
      this.#readTo = event
      this.#isChanged = true
      if (!is_wanted) {
        order.skip(event)
        continue
      }
      this.#data.set(event.id, event)
      order.add(event)
    }
    return true
  }

  async #readFeed() {
    const { unpassedCount, notedCount } = this.#order
    const isFull = unpassedCount > UNPASSED_MAX - READ_MAX || notedCount >= NOTED_MAX
    // One event is enough to test whether the endpoint works again.
    if (isFull || (this.#isProbing() && unpassedCount + notedCount > 0)) {
      this.#isAtEnd = true
      return []
    }
    const events = await selectNext(this.#app.db, this.#endpoint, this.#readTo, READ_MAX)
    this.#isAtEnd = events.length < READ_MAX
    return events
  }

  async #startSome(): Promise<void> {
    const taken = this.#take()
    const missing = taken.filter(({ event }) => !this.#data.has(event.id)).map(({ event }) => event.id)
    if (missing.length > 0)
      for (const event of await selectSent(this.#app.db, this.#endpoint, missing))
        this.#data.set(event.id, event)
    for (const pending of taken) {
      this.#sending += 1
      this.#send(pending).catch((error: unknown) => {
        this.#broken = error
      })
    }
  }

  /** The events to send now. A question does not wait for requests that hang. */
  #take(): Pending<FeedEvent>[] {
    // A failure may have ended the run while it was reading.
    if (!this.#mayStart()) return []
    const { now } = this.#parts.opNow()
    const apart = this.#order.takeApart(now, APART_MAX - this.#sending)
    const free = (this.#isProbing() ? 1 : this.#pace.max) - this.#sending - apart.length
    if (free <= 0) return apart
    if (!this.#isProbing()) return [...apart, ...this.#order.take(now, free)]
    const probe = this.#order.takeProbe()
    return probe ? [...apart, probe] : apart
  }

  /** Sends an event, and with it those that come right behind it of the same object. */
  async #send(pending: Pending<FeedEvent>): Promise<void> {
    const op = this.#parts.opNow()
    const event = this.#data.get(pending.event.id)
    try {
      // An event of a month archived in the meantime.
      if (!event) this.#order.received(pending, op.now)
      else await this.#deliver(op, { pending, event })
    } catch (error) {
      this.#app.log.error({ err: error, event: pending.event.id }, 'a webhook was not sent')
      const failed = { url: this.#endpoint.url, startedAt: op.now, durationMs: 0, error: 'INTERNAL' }
      this.#judge({ pending, attempted: failed, isReceived: false })
    } finally {
      this.#data.delete(pending.event.id)
      this.#sending -= 1
      this.#isChanged = true
      this.#woken?.()
    }
  }

  async #deliver(op: Op, first: Sending): Promise<void> {
    const { pending, event } = first
    const fault = await faultOf(this.#app, op, this.#endpoint, pending, event)
    if (fault) this.#log.recordFault(event.id)
    if (fault === 'reorder') {
      this.#order.postpone(pending, op.now, plusSeconds(op.now, PASSED_SECONDS))
      return
    }
    const rule = this.#ruleOf(event)
    const series = [first, ...(fault ? [] : this.#takeFollowing(op, first))] as const
    const attempts = await this.#attemptSeries(op, series)
    for (const { pending, event } of series) {
      const answered = attempts.shift()
      if (!answered) return
      const attempted = fault === 'duplicate' ? loseAnswer(answered) : answered
      const isReceived = await isAccepted(this.#app, op, rule, event, attempted)
      this.#judge({ pending, attempted, isReceived })
      this.#data.delete(event.id)
    }
  }

  #takeFollowing(op: Op, { pending, event }: Sending): Sending[] {
    const endpoint = this.#endpoint
    const max = this.#isProbing() || this.#ruleOf(event) ? 0 : seriesMax(op) - 1
    const following = this.#order.takeFollowing(pending, max, ({ id }) => {
      const event = this.#data.get(id)
      return event !== undefined && !isSentAlone(op, this.#ruleOf(event), endpoint, event)
    })
    return following.flatMap((pending) => {
      const event = this.#data.get(pending.event.id)
      return event ? [{ pending, event }] : []
    })
  }

  /** Sends a series, and puts back what was not sent. */
  async #attemptSeries(op: Op, series: readonly [Sending, ...Sending[]]): Promise<Attempt[]> {
    const [{ event: first }, ...following] = series
    const endpoint = { url: this.#endpoint.url, secrets: this.#secrets }
    let attempts: Attempt[] = []
    try {
      const events = [first, ...following.map(({ event }) => event)] as const
      attempts = await attemptAll(op, events, endpoint, this.#parts.sendSeries)
      return attempts
    } finally {
      this.#order.putBack(following.slice(Math.max(0, attempts.length - 1)).map(({ pending }) => pending))
    }
  }

  /** The rule for the response to an event that asks a question. */
  #ruleOf({ type }: Pick<SentEvent, 'type'>): AnswerRule | undefined {
    return this.#endpoint.role === 'ADDED' ? undefined : this.#parts.rules[type]
  }

  #judge(delivery: Delivery): void {
    const { pending, attempted } = delivery
    const { answer, error } = attempted
    const op = this.#parts.opNow()
    const { now } = op
    this.#log.add(delivery)
    if (delivery.isReceived) {
      if (this.#isProbing()) this.#order.retryAll(now)
      this.#course = {
        ...this.#course,
        failures: 0,
        failingSince: undefined,
        retryAt: undefined,
        lastDeliveredAt: now,
      }
      this.#pace.received(attempted.durationMs)
      this.#order.received(pending, now)
      return
    }
    if (answer?.status === GONE) this.#isGone = true
    const failure = String(answer?.status ?? error)
    this.#noteFailure(op, failure, answer)
    const until = giveUpAt(pending.failedAt ?? now)
    if (until > now && pending.event.type !== 'TEST')
      this.#order.markFailed(pending, failure, now, retryAt(op, pending.attempts + 1, until, answer))
    // A received event stays received.
    else if (pending.wasReceived || this.#endpoint.role === 'REPLAY') this.#order.received(pending, now)
    else {
      this.#order.gaveUp(pending, failure, now)
      op.log.warn({ event: pending.event.id, type: pending.event.type, failure }, 'webhook given up')
    }
  }

  /** Requests that were in progress when the endpoint began to rest do not prolong its rest. */
  #noteFailure(op: Op, lastFailure: string, answer: Attempt['answer']): void {
    this.#pace.failed()
    const { failingSince = op.now } = this.#course
    if (this.#isResting()) {
      this.#course = { ...this.#course, lastFailure }
      return
    }
    const failures = this.#course.failures + 1
    const rest = failures >= FAILURES_IN_A_ROW_MAX ? restUntil(op, failingSince, answer) : undefined
    this.#course = { ...this.#course, failures, failingSince, retryAt: rest, lastFailure }
  }

  /** Resolves when a request finishes, or when it is time to record. */
  async #someEnd(): Promise<void> {
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        this.#woken = undefined
        resolve()
      }
      const timer = setTimeout(finish, RECORD_MS)
      this.#woken = finish
    })
  }

  /** Records the progress. Returns false if the endpoint is no longer this process's. */
  async #record(isOver: boolean): Promise<boolean> {
    if (this.#broken !== undefined) throw this.#broken
    this.#recordedMs = performance.now()
    if (!isOver && !this.#isChanged) return true
    this.#isChanged = false
    const op = this.#parts.opNow()
    const { unpassedCount, notedCount } = this.#order
    const progress = {
      changes: this.#order.takeChanges(),
      ...this.#log.take(),
      receiptId: op.newId('WebhookReceipt'),
      course: this.#course,
      isOver,
      isIdle: unpassedCount + notedCount === 0,
    }
    const times = { real: this.#app.clock(), platform: op.now }
    const claimed = { claim: this.#claim, endpoint: this.#endpoint }
    const endpoint = await recordProgress(this.#app.db, claimed, progress, times)
    if (!endpoint) return false
    this.#endpoint = endpoint
    return true
  }
}
