import { type App, addSeconds, createOp, type Op } from '../../kernel/operation/app.ts'
import { findOpenPlatform } from '../platforms/platforms.ts'
import { type Attempt, attemptDeliveries, loseResponse } from '../webhooks/delivery-attempt.ts'
import type { SendSeries } from '../webhooks/request-series.ts'
import type { ResponseRule, ResponseRules } from '../webhooks/response-rules.ts'
import { computeGiveUpTime, computeRestEnd, computeRetryTime } from '../webhooks/retry-schedule.ts'
import { deriveSecretBytes } from '../webhooks/secrets.ts'
import { AttemptLog } from './attempt-log.ts'
import { disableEndpoint } from './disable.ts'
import { applyResponse, type Delivery, isSentAlone, REORDER_SECONDS, takeSandboxFault } from './outcome.ts'
import { OPEN_MAX, Pace } from './pace.ts'
import { recordProgress } from './progress-store.ts'
import {
  type ClaimedEndpoint,
  type EndpointHealth,
  type SendingEndpoint,
  type SentEvent,
  selectEventsById,
  selectMadeDue,
  selectNextEvents,
  selectPending,
  selectSigningSecrets,
} from './sender-store.ts'
import { type FeedEvent, type Pending, SendingOrder } from './sending-order.ts'

/** The number of events per read from the feed. */
const READ_MAX = 256
/** The maximum number of events in memory that the cursor has not passed. */
const BEYOND_CURSOR_MAX = 1024
/** The maximum number of stored failures per endpoint. Further events wait in the feed. */
const STORED_MAX = 1000
/** The interval for recording progress. After a crash, events since the last record are sent again. */
const RECORD_MS = 100
/** After this many failures in a row, the endpoint gets one event at a time until it receives one. */
const FAILURES_IN_A_ROW_MAX = 10
/** The maximum length of a run. Each run reads the platform, its clock, settings and secrets again. */
const RUN_MS_MAX = 5_000
const GONE = 410

/** Sends to a claimed endpoint until nothing is due or `RUN_MS_MAX` has passed. Never rejects. */
export async function runEndpoint(
  app: App,
  claimed: ClaimedEndpoint,
  shared: Pick<RunParts, 'rules' | 'sendSeries' | 'stopping'>,
): Promise<void> {
  try {
    const platform = await findOpenPlatform(app.read, claimed.endpoint.platform_id)
    if (!platform) return
    const newOp = () => createOp(app, platform, { kind: 'job', jobId: claimed.endpoint.id })
    const failures = await selectPending(app.db, claimed.endpoint)
    await new EndpointRun(app, claimed, { ...shared, newOp, failures }).run()
  } catch (error) {
    // The claim expires, and any process continues from the last record.
    app.log.error({ err: error, endpoint: claimed.endpoint.id }, 'failed to send to webhook endpoint')
  }
}

interface RunParts {
  readonly rules: ResponseRules
  readonly sendSeries: SendSeries
  /** Creates the operation for an attempt that starts now. */
  readonly newOp: () => Op
  readonly failures: readonly Pending<FeedEvent>[]
  readonly stopping: AbortSignal
}

/** An event that is being sent, and its content. */
interface EventInFlight {
  readonly pending: Pending<FeedEvent>
  readonly event: SentEvent
}

class EndpointRun {
  readonly #app: App
  readonly #claim: string
  readonly #parts: RunParts
  readonly #order: SendingOrder<FeedEvent>
  #endpoint: SendingEndpoint
  #health: EndpointHealth
  readonly #attemptLog: AttemptLog
  #secrets: readonly Uint8Array[] = []
  /** The position up to which the feed was read, which is beyond the cursor. */
  #readPosition: ClaimedEndpoint['cursor']
  #isAtEnd = false
  #readMs = Number.NEGATIVE_INFINITY
  /** Events with their data, by id, until they are received or stored as failures. */
  readonly #data = new Map<string, SentEvent>()
  #sending = 0
  readonly #pace = new Pace()
  readonly #startedMs = performance.now()
  #recordedMs = this.#startedMs
  /** True if an event was received, failed or skipped since the last record. */
  #isChanged = false
  #isGone = false
  /**
   * An error that makes the order unreliable. It stops all recording, and the next run starts from the last
   * record.
   */
  #fatalError: unknown
  #wake: (() => void) | undefined

  constructor(app: App, { claim, endpoint, cursor, health }: ClaimedEndpoint, parts: RunParts) {
    this.#app = app
    this.#claim = claim
    this.#attemptLog = new AttemptLog(endpoint)
    this.#parts = parts
    this.#endpoint = endpoint
    this.#health = health
    this.#readPosition = cursor
    this.#order = new SendingOrder(cursor, endpoint.latest_balance_only, parts.failures)
  }

  async run(): Promise<void> {
    const op = this.#parts.newOp()
    const secrets = await selectSigningSecrets(this.#app.db, this.#endpoint, op.now)
    this.#secrets = secrets.map((secret) => deriveSecretBytes(op, secret))
    while (this.#canStart()) {
      await this.#startDue()
      if (await this.#readDue()) await this.#startDue()
      if (this.#sending > 0) await this.#waitForProgress()
      else if (this.#isAtEnd) break
      if (performance.now() - this.#recordedMs >= RECORD_MS && !(await this.#record(false))) return
    }
    while (this.#sending > 0) await this.#waitForProgress()
    await this.#finish()
  }

  /** Records the remaining progress and releases the endpoint. Disables it if it is gone or unreachable. */
  async #finish(): Promise<void> {
    const { now } = this.#parts.newOp()
    const { failingSince } = this.#health
    const isUnreachable = failingSince !== undefined && computeGiveUpTime(failingSince) <= now
    if ((await this.#record(true)) && (this.#isGone || isUnreachable))
      await disableEndpoint(
        this.#app,
        this.#parts.newOp(),
        this.#endpoint.id,
        this.#isGone ? 'GONE' : 'UNREACHABLE',
      )
  }

  #canStart(): boolean {
    return (
      performance.now() - this.#startedMs < RUN_MS_MAX &&
      !this.#parts.stopping.aborted &&
      !this.#isGone &&
      this.#fatalError === undefined &&
      !this.#isResting() &&
      this.#endpoint.state === 'ENABLED'
    )
  }

  /** True while nothing is sent because of many failures in a row. */
  #isResting(): boolean {
    const { retryAt } = this.#health
    return retryAt !== undefined && retryAt > this.#parts.newOp().now
  }

  /** True if the next attempt tests whether the endpoint works again. */
  #isProbing(): boolean {
    return this.#health.failures >= FAILURES_IN_A_ROW_MAX
  }

  /**
   * Reads the next events from the feed if there is capacity, and the events that others have made due.
   * Checks again after a pause at the end of the feed. Returns true if it has read.
   */
  async #readDue(): Promise<boolean> {
    const order = this.#order
    const startedMs = performance.now()
    const isReadDue = startedMs - this.#readMs >= RECORD_MS
    const canReadFeed = (!this.#isAtEnd || isReadDue) && order.readyCount < this.#pace.max
    const events = canReadFeed ? await this.#readFeed() : []
    if (events.length === 0 && !isReadDue) return false
    this.#readMs = startedMs
    // Read after the feed, so that a question, which is due with its event, precedes later events.
    if (this.#endpoint.role === 'CONFIGURED')
      for (const pending of await selectMadeDue(this.#app.db, this.#endpoint, order.listStoredIds()))
        order.addStored(pending)
    for (const { is_wanted, ...event } of events) {
      this.#readPosition = event
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
    const { beyondCursorCount, storedCount } = this.#order
    const isFull = beyondCursorCount > BEYOND_CURSOR_MAX - READ_MAX || storedCount >= STORED_MAX
    // One event is enough to test whether the endpoint works again.
    if (isFull || (this.#isProbing() && beyondCursorCount + storedCount > 0)) {
      this.#isAtEnd = true
      return []
    }
    const events = await selectNextEvents(this.#app.db, this.#endpoint, this.#readPosition, READ_MAX)
    this.#isAtEnd = events.length < READ_MAX
    return events
  }

  async #startDue(): Promise<void> {
    const due = this.#takeDue()
    const missing = due.filter(({ event }) => !this.#data.has(event.id)).map(({ event }) => event.id)
    if (missing.length > 0)
      for (const event of await selectEventsById(this.#app.db, this.#endpoint, missing))
        this.#data.set(event.id, event)
    for (const pending of due) {
      this.#sending += 1
      this.#send(pending).catch((error: unknown) => {
        this.#fatalError = error
      })
    }
  }

  /** Takes the events to send now. Questions do not wait for slow requests. */
  #takeDue(): Pending<FeedEvent>[] {
    // A failure may have ended the run while it was reading.
    if (!this.#canStart()) return []
    const { now } = this.#parts.newOp()
    const outsideFeed = this.#order.takeOutsideFeed(now, OPEN_MAX - this.#sending)
    const free = (this.#isProbing() ? 1 : this.#pace.max) - this.#sending - outsideFeed.length
    if (free <= 0) return outsideFeed
    if (!this.#isProbing()) return [...outsideFeed, ...this.#order.take(now, free)]
    const probe = this.#order.takeProbe()
    return probe ? [...outsideFeed, probe] : outsideFeed
  }

  /** Sends an event, together with the next events of the same object. */
  async #send(pending: Pending<FeedEvent>): Promise<void> {
    const op = this.#parts.newOp()
    const event = this.#data.get(pending.event.id)
    try {
      // The month of this event was archived in the meantime.
      if (!event) this.#order.markReceived(pending, op.now)
      else await this.#deliver(op, { pending, event })
    } catch (error) {
      this.#app.log.error({ err: error, event: pending.event.id }, 'failed to send webhook')
      const failed = { url: this.#endpoint.url, startedAt: op.now, durationMs: 0, error: 'INTERNAL' }
      this.#applyOutcome({ pending, attempted: failed, isReceived: false })
      this.#data.delete(pending.event.id)
    } finally {
      this.#sending -= 1
      this.#isChanged = true
      this.#wake?.()
    }
  }

  async #deliver(op: Op, first: EventInFlight): Promise<void> {
    const { pending, event } = first
    const fault = await takeSandboxFault(this.#app, op, this.#endpoint, pending, event)
    if (fault) this.#attemptLog.recordFault(event.id)
    if (fault === 'reorder') {
      this.#order.postpone(pending, op.now, addSeconds(op.now, REORDER_SECONDS))
      return
    }
    const rule = this.#getRule(event)
    const series = [first, ...(fault ? [] : this.#takeFollowing(op, first))] as const
    const attempts = await this.#attemptSeries(op, series)
    for (const { pending, event } of series) {
      const attempt = attempts.shift()
      if (!attempt) return
      const attempted = fault === 'duplicate' ? loseResponse(attempt) : attempt
      const isReceived = await applyResponse(this.#app, op, rule, event, attempted)
      this.#applyOutcome({ pending, attempted, isReceived })
      this.#data.delete(event.id)
    }
  }

  #takeFollowing(op: Op, { pending, event }: EventInFlight): EventInFlight[] {
    const endpoint = this.#endpoint
    const isAlone = this.#isProbing() || this.#getRule(event) !== undefined
    const max = isAlone ? 0 : this.#pace.seriesMax - 1
    const following = this.#order.takeFollowing(pending, max, ({ id }) => {
      const event = this.#data.get(id)
      return event !== undefined && !isSentAlone(op, this.#getRule(event), endpoint, event)
    })
    return following.flatMap((pending) => {
      const event = this.#data.get(pending.event.id)
      return event ? [{ pending, event }] : []
    })
  }

  /** Sends a series, and puts back the events that were not sent. */
  async #attemptSeries(op: Op, series: readonly [EventInFlight, ...EventInFlight[]]): Promise<Attempt[]> {
    const [{ event: first }, ...following] = series
    const endpoint = { url: this.#endpoint.url, secrets: this.#secrets }
    // After an error, the first event counts as failed.
    let sentCount = 1
    try {
      const events = [first, ...following.map(({ event }) => event)] as const
      const attempts = await attemptDeliveries(op, events, endpoint, this.#parts.sendSeries)
      sentCount = attempts.length
      return attempts
    } finally {
      this.#order.putBack(series.slice(sentCount).map(({ pending }) => pending))
    }
  }

  /** Returns the rule for the response, if the event asks a question. */
  #getRule({ type }: Pick<SentEvent, 'type'>): ResponseRule | undefined {
    return this.#endpoint.role === 'ADDED' ? undefined : this.#parts.rules[type]
  }

  #applyOutcome(delivery: Delivery): void {
    const { pending, attempted } = delivery
    const { response, error } = attempted
    const op = this.#parts.newOp()
    const { now } = op
    this.#attemptLog.add(delivery)
    if (delivery.isReceived) {
      if (this.#isProbing()) this.#order.retryAll(now)
      this.#health = {
        ...this.#health,
        failures: 0,
        failingSince: undefined,
        retryAt: undefined,
        lastDeliveredAt: now,
      }
      this.#pace.recordResponse(attempted.durationMs, response)
      this.#order.markReceived(pending, now)
      return
    }
    if (response?.status === GONE) this.#isGone = true
    const failure = String(response?.status ?? error)
    this.#recordFailure(op, failure, response)
    const until = computeGiveUpTime(pending.failedAt ?? now)
    if (until > now && pending.event.type !== 'TEST')
      this.#order.markFailed(
        pending,
        failure,
        now,
        computeRetryTime(op, pending.attempts + 1, until, response),
      )
    // Attempts to send a received event again simply end.
    else if (pending.wasReceived || this.#endpoint.role === 'REPLAY') this.#order.markReceived(pending, now)
    else {
      this.#order.markGivenUp(pending, failure, now)
      op.log.warn({ event: pending.event.id, type: pending.event.type, failure }, 'gave up on webhook')
    }
  }

  /** Counts a failure. Requests that were in progress when a rest began do not prolong it. */
  #recordFailure(op: Op, lastFailure: string, response: Attempt['response']): void {
    this.#pace.recordFailure()
    const { failingSince = op.now } = this.#health
    if (this.#isResting()) {
      this.#health = { ...this.#health, lastFailure }
      return
    }
    const failures = this.#health.failures + 1
    const rest = failures >= FAILURES_IN_A_ROW_MAX ? computeRestEnd(op, failingSince, response) : undefined
    this.#health = { ...this.#health, failures, failingSince, retryAt: rest, lastFailure }
  }

  /** Resolves when a request finishes or it is time to record. */
  async #waitForProgress(): Promise<void> {
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve()
      }
      const timer = setTimeout(finish, RECORD_MS)
      this.#wake = finish
    })
  }

  /** Records the progress. Returns false if this process has lost the endpoint. */
  async #record(isFinished: boolean): Promise<boolean> {
    if (this.#fatalError !== undefined) throw this.#fatalError
    this.#recordedMs = performance.now()
    if (!isFinished && !this.#isChanged) return true
    this.#isChanged = false
    const op = this.#parts.newOp()
    const { beyondCursorCount, storedCount } = this.#order
    const progress = {
      changes: this.#order.takeChanges(),
      ...this.#attemptLog.take(),
      receiptId: op.newId('WebhookReceipt'),
      health: this.#health,
      isOver: isFinished,
      isIdle: beyondCursorCount + storedCount === 0,
    }
    const times = { real: this.#app.clock(), platform: op.now }
    const claimed = { claim: this.#claim, endpoint: this.#endpoint }
    const endpoint = await recordProgress(this.#app.db, claimed, progress, times)
    if (!endpoint) return false
    this.#endpoint = endpoint
    return true
  }
}
