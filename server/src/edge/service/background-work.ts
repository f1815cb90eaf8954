import type { App } from '../../kernel/operation/app.ts'
import { type Background, runInBackground } from '../../kernel/operation/background.ts'
import { startClientMoneyReports } from '../../operation/client-money/reports.ts'
import { startProving } from '../../operation/proofs/checkpoints.ts'
import { createFeedWatch } from '../../people/webhooks/feed-watch.ts'
import { addMonths } from '../../storage/schema/months.ts'
import { startExpirySweep } from '../expiry/expiry.ts'
import { startRetentionSweep } from '../expiry/retention.ts'
import type { RequestLimits } from '../rate-limits/request-limits.ts'
import { startReplicaChecks } from './replica.ts'

/** The interval at which the request log is written. */
const REQUEST_LOG_MS = 200
const PAUSE_CHECK_MS = 1_000
/** The minimum delay that counts as a pause. A busy event loop causes shorter delays. */
const PAUSE_MS_MIN = 5_000
const FEED_WATCH_MS = 10_000
/** The interval at which the partitions of the next month are checked. */
const MONTHS_MS = 3_600_000
/** The interval at which servers exchange counts. Limits may take effect this much later. */
const LIMITS_EXCHANGE_MS = 1_000

/** Starts the check of the event feed. It runs rarely, because each check reads one row per platform. */
function watchFeed({ db, clock, metrics, log }: App): Background {
  const check = createFeedWatch(db, clock, { still: metrics.feedStill, log })
  return runInBackground(FEED_WATCH_MS, check, (error) =>
    log.warn({ err: error }, 'failed to check the event feed'),
  )
}

/** Starts the background work of every server, in addition to requests and jobs. */
export function startBackgroundWork(app: App, limits: RequestLimits): Background[] {
  const logFailure = (message: string) => (error: unknown) => app.log.error({ err: error }, message)
  return [
    watchFeed(app),
    ...startProving(app),
    startClientMoneyReports(app),
    startExpirySweep(app.db, app.clock, logFailure('failed to remove expired data')),
    startRetentionSweep(app.db, app.config.retention, app.clock, logFailure('failed to remove old data')),
    runInBackground(
      MONTHS_MS,
      () => addMonths(app.db, app.clock()),
      logFailure('failed to create partitions for the next month'),
      { startsImmediately: true },
    ),
    watchPauses(app),
    runInBackground(REQUEST_LOG_MS, app.requestLog.flush, logFailure('failed to write the request log')),
    ...startLimitExchange(app, limits),
    ...startReplicaChecks(app),
  ]
}

/** Records pauses of this process, for example after SIGSTOP or while its machine was suspended. */
function watchPauses(app: App): Background {
  const check = createPauseWatch(app, () => performance.now())
  return runInBackground(
    PAUSE_CHECK_MS,
    async () => check(),
    () => {},
  )
}

/** Creates the check for pauses, which must be called every second. */
export function createPauseWatch(
  {
    metrics,
    log,
  }: { readonly metrics: Pick<App['metrics'], 'recordPause'>; readonly log: Pick<App['log'], 'warn'> },
  nowMs: () => number,
): () => void {
  let lastMs = nowMs()
  return () => {
    const pausedMs = nowMs() - lastMs - PAUSE_CHECK_MS
    lastMs = nowMs()
    if (pausedMs < PAUSE_MS_MIN) return
    metrics.recordPause(pausedMs)
    log.warn({ seconds: Math.round(pausedMs / 1000) }, 'server was paused')
  }
}

/** Skipped for the embedded database, whose only server knows all counts. */
function startLimitExchange({ db, log }: App, limits: RequestLimits): Background[] {
  if (db.kind === 'embedded') return []
  const exchange = runInBackground(
    LIMITS_EXCHANGE_MS,
    () => limits.exchange(db),
    (error) => log.warn({ err: error }, 'failed to exchange request counts'),
  )
  return [exchange]
}
