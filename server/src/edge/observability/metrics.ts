import { AGENT_DENIAL_RULES } from '@countersign/contract/agents/agent-policy'
import { ERROR_CODES, ERRORS } from '@countersign/contract/core/errors'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from '../../base/settings/config.ts'
import { VERSION } from '../../base/settings/version.ts'
import { oneAtATime } from '../../kernel/operation/one-at-a-time.ts'
import { withTimeout } from '../../kernel/operation/timeout.ts'
import { JOB_KINDS } from '../../kernel/outbox/job-kinds.ts'
import type { Metrics } from '../../kernel/ports/metrics.ts'
import type { CommitObserver, CommitResult } from '../../storage/commit/committer.ts'
import type { Database } from '../../storage/engine/port.ts'
import { createChainGauges, createChainReports } from './chain-gauges.ts'
import { createReconciliationGauges } from './reconciliation-gauges.ts'
import { RouteTimings } from './route-timings.ts'
import {
  type DueWork,
  findChains,
  findDueWork,
  findEndpointLags,
  findReconciliations,
  findUnchained,
} from './store.ts'
import { Tally } from './tally.ts'
import { createWatchGauges } from './watch-gauges.ts'
import { createWebhookGauges } from './webhook-gauges.ts'

/**
 * Bucket bounds in seconds. A read on an idle machine takes half a millisecond, and most clients give up
 * after ten seconds.
 */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const BATCH_SETS = [1, 2, 4, 8, 16, 32, 64, 128, 256]
/** Prometheus times out after ten seconds. The values of the process must arrive before that. */
const DATABASE_MS_MAX = 2000
/** Longer than the readiness check, which reports a reason after two seconds. */
const READY_MS_MAX = 3000

/** The effect of each kind of ledger write. */
const POSTING_KINDS = {
  transfer: { pending: 'hold', posted: 'post' },
  end: { posted: 'capture', voided: 'void' },
} as const
const POSTINGS = Object.values(POSTING_KINDS).flatMap((postings) => Object.values(postings))
const COMMIT_RESULTS = ['done', 'unique', 'expectation', 'overdraft', 'overflow', 'fault'] as const
const WEBHOOK_RESULTS = ['2xx', '3xx', '4xx', '5xx', 'timeout', 'address_refused', 'unreachable'] as const
const FAULTS = ERROR_CODES.filter((code) => ERRORS[code].status >= 500)

/** Creates the metrics of one service. They are listed in the order of creation. */
export function createMetrics(db: Database, clock: () => Date, mode: Config['mode']): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'countersign_' })
  showBuild(registry, { version: VERSION, mode, database: db.kind })
  const timings = new RouteTimings(DURATION_BUCKETS)
  const refusals = new Tally(registry, {
    name: 'countersign_http_errors_total',
    help: 'Error responses, by error code.',
    label: 'code',
    values: FAULTS,
  })
  const commits = observeCommits(registry)
  const jobs = countJobs(registry)
  const { webhooks, denials, screenings, reads } = createOutcomeTallies(registry)
  const feedDelay = createFeedGauge(registry)
  const up = createUpGauge(registry)
  const showDueWork = createDueWorkGauges(registry)
  const chainReports = createChainReports(registry)
  const showReconciliations = createReconciliationGauges(registry)
  const showChains = createChainGauges(registry)
  const showUnchained = createUnchainedGauge(registry)
  const showUndelivered = createWebhookGauges(registry)
  const runQueries = createQueries(db, clock)

  return {
    ...commits,
    ...countLost(registry),
    ...chainReports,
    setWatched: createWatchGauges(registry),
    ...countPauses(registry),
    recordResponse(route, method, status, code, seconds) {
      timings.observe(route, method, status, seconds)
      if (code !== undefined) refusals.add(code)
    },
    job: (kind, result) => jobs.inc({ kind, result }),
    webhookAttempt: (result) => webhooks.add(toWebhookResult(result)),
    agentDenied: (rule) => denials.add(rule),
    feedStill: (seconds) => feedDelay.set(seconds),
    recordScreening: (outcome) => screenings.add(outcome),
    replicaRead: (outcome) => reads.add(outcome),
    contentType: registry.contentType,
    async text(isReady) {
      const [isUp, work, reconciliations, chains, endedPayments, lags] = await Promise.all([
        withTimeout(READY_MS_MAX, isReady()),
        withTimeout(DATABASE_MS_MAX, runQueries.dueWork()),
        withTimeout(DATABASE_MS_MAX, runQueries.reconciliations()),
        withTimeout(DATABASE_MS_MAX, runQueries.chains()),
        withTimeout(DATABASE_MS_MAX, runQueries.unchained()),
        withTimeout(DATABASE_MS_MAX, runQueries.lags()),
      ])
      up.set(isUp ? 1 : 0)
      showDueWork(work)
      showReconciliations(reconciliations)
      showChains(chains)
      showUnchained(endedPayments)
      showUndelivered(lags)
      return `${await registry.metrics()}\n${timings.text()}\n`
    },
  }
}

/** The database queries of a scrape. Each returns undefined if the database fails. */
function createQueries(db: Database, clock: () => Date) {
  return {
    dueWork: oneAtATime(() => findDueWork(db, clock()).catch(() => undefined)),
    chains: oneAtATime(() => findChains(db, clock()).catch(() => undefined)),
    unchained: oneAtATime(() => findUnchained(db).catch(() => undefined)),
    reconciliations: oneAtATime(() => findReconciliations(db, clock()).catch(() => undefined)),
    lags: oneAtATime(() => findEndpointLags(db, clock()).catch(() => undefined)),
  }
}

/** Counts dropped requests, spans and log lines. */
function countLost(
  registry: Registry,
): Pick<Metrics, 'requestsNotLogged' | 'spansDropped' | 'logLinesDropped'> {
  const registers = [registry]
  const requests = new Counter({
    name: 'countersign_requests_not_logged_total',
    help: 'Requests that the request log dropped.',
    registers,
  })
  const spans = new Counter({
    name: 'countersign_spans_dropped_total',
    help: 'Dropped trace spans that no collector received.',
    registers,
  })
  const lines = new Counter({
    name: 'countersign_log_lines_dropped_total',
    help: 'Log lines dropped because the disk was full or the pipe had no reader.',
    registers,
  })
  return {
    logLinesDropped: (count) => lines.inc(count),
    requestsNotLogged: (count) => requests.inc(count),
    spansDropped: (count) => spans.inc(count),
  }
}

/** Counts the seconds for which the process or its machine was paused. */
function countPauses(registry: Registry): Pick<Metrics, 'recordPause'> {
  const seconds = new Counter({
    name: 'countersign_paused_seconds_total',
    help: 'Seconds for which this process or its machine was paused.',
    registers: [registry],
  })
  return { recordPause: (ms) => seconds.inc(ms / 1000) }
}

function createUpGauge(registry: Registry): Gauge {
  return new Gauge({
    name: 'countersign_database_up',
    help: '1 if the database is usable, as in /readyz: it responds, accepts writes and has disk space.',
    registers: [registry],
  })
}

function createFeedGauge(registry: Registry): Gauge {
  return new Gauge({
    name: 'countersign_feed_still_seconds',
    help: 'Time for which an open transaction in the database cluster has delayed events.',
    registers: [registry],
  })
}

function createUnchainedGauge(registry: Registry): (count: number | undefined) => void {
  const unchained = new Gauge({
    name: 'countersign_ledger_unchained_transfers',
    help: 'Ended transfers that are not in a hash chain block yet.',
    registers: [registry],
  })
  return (count) => {
    if (count !== undefined) unchained.set(count)
  }
}

/** Counts of deliveries, denials and screenings by outcome. */
function createOutcomeTallies(registry: Registry) {
  const webhooks = new Tally(registry, {
    name: 'countersign_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by outcome.',
    label: 'result',
    values: WEBHOOK_RESULTS,
  })
  const denials = new Tally(registry, {
    name: 'countersign_agent_denials_total',
    help: 'Denied agent requests, by policy rule.',
    label: 'rule',
    values: AGENT_DENIAL_RULES,
  })
  const screenings = new Tally(registry, {
    name: 'countersign_screenings_total',
    help: 'Screened addresses, by outcome; FAILED: screening was unavailable.',
    label: 'outcome',
    values: ['CLEAR', 'HIT', 'FAILED'],
  })
  const reads = new Tally(registry, {
    name: 'countersign_replica_reads_total',
    help: 'Reads of lists and files that may use a standby, by outcome: served there, or by the primary because the standby was late or failed.',
    label: 'outcome',
    values: ['replica', 'late', 'failed'],
  })
  return { webhooks, denials, screenings, reads }
}

function showBuild(registry: Registry, labels: { version: string; mode: string; database: string }): void {
  new Gauge({
    name: 'countersign_build_info',
    help: 'Always 1; the labels describe the build.',
    labelNames: ['version', 'mode', 'database'],
    registers: [registry],
  }).set(labels, 1)
}

function observeCommits(registry: Registry): CommitObserver {
  const registers = [registry]
  const batchSets = new Histogram({
    name: 'countersign_commit_batch_sets',
    help: 'Write sets in one commit.',
    buckets: BATCH_SETS,
    registers,
  })
  const batchSeconds = new Histogram({
    name: 'countersign_commit_duration_seconds',
    help: 'Time from the start of a commit until all its write sets had a result.',
    buckets: DURATION_BUCKETS,
    registers,
  })
  const conflicts = new Counter({
    name: 'countersign_commit_conflicts_total',
    help: 'Transactions that were retried after a serialization failure or a deadlock.',
    registers,
  })
  const sets = new Tally(registry, {
    name: 'countersign_commit_sets_total',
    help: 'Write sets by outcome: done, the guard that failed, or a fault.',
    label: 'result',
    values: COMMIT_RESULTS,
  })
  const postings = new Tally(registry, {
    name: 'countersign_ledger_postings_total',
    help: 'Committed ledger postings: transfers posted, and holds created, captured and voided.',
    label: 'kind',
    values: POSTINGS,
  })
  return {
    batch(size, seconds) {
      batchSets.observe(size)
      batchSeconds.observe(seconds)
    },
    conflict: () => conflicts.inc(),
    set(writes, result) {
      sets.add(commitResult(result))
      if (result === 'fault' || !result.done) return
      for (const write of writes)
        if (write.write === 'transfer') postings.add(POSTING_KINDS.transfer[write.state])
        else if (write.write === 'end') postings.add(POSTING_KINDS.end[write.state])
    },
  }
}

function countJobs(registry: Registry): Counter<'kind' | 'result'> {
  const jobs = new Counter({
    name: 'countersign_jobs_total',
    help: 'Jobs by kind and outcome: done, or failed and rescheduled.',
    labelNames: ['kind', 'result'],
    registers: [registry],
  })
  for (const kind of JOB_KINDS) for (const result of ['done', 'failed']) jobs.inc({ kind, result }, 0)
  return jobs
}

function commitResult(result: CommitResult | 'fault'): (typeof COMMIT_RESULTS)[number] {
  if (result === 'fault') return 'fault'
  return result.done ? 'done' : result.guard
}

function toWebhookResult(result: number | string): (typeof WEBHOOK_RESULTS)[number] {
  if (result === 'TIMEOUT') return 'timeout'
  if (result === 'ADDRESS_REFUSED') return 'address_refused'
  if (typeof result === 'string') return 'unreachable'
  return WEBHOOK_RESULTS[Math.trunc(result / 100) - 2] ?? 'unreachable'
}

/**
 * Creates gauges of due jobs, which are queried for each scrape. Returns a function that sets them, or
 * removes them if the query failed.
 */
function createDueWorkGauges(registry: Registry): (work: readonly DueWork[] | undefined) => void {
  const registers = [registry]
  const lag = new Gauge({
    name: 'countersign_due_work_lag_seconds',
    help: "Time since the oldest due job fell due, by its platform's clock.",
    labelNames: ['kind'],
    registers,
  })
  const waiting = new Gauge({
    name: 'countersign_due_work',
    help: 'Jobs that are due and not done. Counts only the hundred oldest of each platform and lane.',
    labelNames: ['kind'],
    registers,
  })
  return (work) => {
    lag.reset()
    waiting.reset()
    if (!work) return
    const byKind = new Map(work.map((due) => [due.kind, due]))
    for (const kind of new Set([...JOB_KINDS, ...byKind.keys()])) {
      lag.set({ kind }, byKind.get(kind)?.lagSeconds ?? 0)
      waiting.set({ kind }, byKind.get(kind)?.count ?? 0)
    }
  }
}
