import { setTimeout as pause } from 'node:timers/promises'
import type { SharedRow } from '../../storage/commit/batch.ts'
import type { CommitResult } from '../../storage/commit/committer.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { type App, createOp, type Op } from '../operation/app.ts'
import { Capacity } from './capacity.ts'
import { buildWebhookFaults } from './events.ts'
import type { JobHandlers } from './job-kinds.ts'
import { dueNow } from './jobs.ts'
import { findLane } from './lanes.ts'
import { type OwnJobs, takeOwnJobs, withClaims } from './local-jobs.ts'
import { runInSpan, runJob } from './run-job.ts'
import { RunningRow } from './shared-row.ts'
import { claimDue, type DueJob, type DueRow, selectDue, selectDueJobs, selectNextDue } from './store.ts'

/** Runs due jobs according to each platform's clock. */
export interface JobRunner {
  /**
   * Polls for due jobs until `stop`: every second, for jobs left by other processes, and whenever `wake` is
   * called.
   */
  start(): void
  /** Searches now, because this process has created a due job. */
  wake(): void
  /** Commits the writes of an operation. Its due jobs start immediately if there is capacity. */
  commit(op: Op, writes: readonly Write[]): Promise<CommitResult>
  /**
   * Runs all jobs of a platform that are due at its current time, in order of due time. Waits for jobs that
   * other processes are running.
   */
  runDue(platformId: string): Promise<void>
  /** When the next job of a platform falls due, if that is not after `until`. */
  nextDue(platformId: string, until: Date): Promise<Date | undefined>
  /** Stops polling, and waits for the jobs in progress. */
  stop(): Promise<void>
}

const POLL_MS = 1000
/** The maximum number of jobs that `runDue` reads at a time. */
const DUE_OF_PLATFORM_MAX = 64
/** The time for which a finished row waits to be deleted together with another commit. */
const DELETION_DELAY_MS = 20
/** The time for which `runDue` waits for another process before searching again. */
const OTHER_PROCESS_WAIT_MS = 50

interface Runner {
  readonly app: App
  readonly handlers: JobHandlers
  /** Capacity taken by running jobs, and by jobs that start after being claimed or committed. */
  readonly capacity: Capacity
  /** The rows being run by this process, by id, including rows shared by several jobs. */
  readonly running: Map<string, Promise<void>>
  readonly rows: Map<string, RunningRow>
  /** Deletions that wait for another commit. */
  readonly waitingDeletions: Set<() => void>
  /** The search in progress, if any. */
  search: Promise<void> | undefined
  /** True if a job fell due after the last search. */
  mustSearchAgain: boolean
  timer: NodeJS.Timeout | undefined
  isStopped: boolean
}

export function createJobRunner(app: App, handlers: JobHandlers): JobRunner {
  const runner: Runner = {
    app,
    handlers,
    capacity: new Capacity(),
    running: new Map(),
    rows: new Map(),
    waitingDeletions: new Set(),
    search: undefined,
    mustSearchAgain: false,
    timer: undefined,
    isStopped: false,
  }
  return {
    start() {
      runner.timer = setInterval(() => wake(runner), POLL_MS)
      wake(runner)
    },
    wake: () => wake(runner),
    commit: (op, writes) => commit(runner, op, writes),
    runDue: (platformId) => runDue(runner, platformId),
    nextDue: (platformId, until) => selectNextDue(app, platformId, until),
    async stop() {
      runner.isStopped = true
      clearInterval(runner.timer)
      await runner.search
      await Promise.all(runner.running.values())
    },
  }
}

/** Starts a search. If one is in progress, it will search once more. */
function wake(runner: Runner): void {
  if (runner.isStopped) return
  runner.mustSearchAgain = true
  const { tracing } = runner.app
  // A search serves many callers, so it belongs to no span.
  runner.search ??= (tracing ? tracing.apart(() => searchDueJobs(runner)) : searchDueJobs(runner))
    .catch((error) => runner.app.log.error({ err: error }, 'failed to search for due jobs'))
    .finally(() => {
      runner.search = undefined
      // `wake` may have been called after the last search but before this line.
      if (runner.mustSearchAgain) wake(runner)
    })
}

/** Claims and starts due jobs as long as there is capacity and more have fallen due. */
async function searchDueJobs(runner: Runner): Promise<void> {
  const { app, capacity } = runner
  do {
    // Jobs that finish in the same turn of the event loop release their capacity together.
    await waitForNextTurn()
    runner.mustSearchAgain = false
    // `runDue` may have exceeded the capacity.
    if (capacity.isFull) return
    const offer = capacity.offer()
    const chosen = capacity.takeFor(await selectDue(app, offer), offer)
    if (chosen.length === 0) continue
    const rows = await claimDue(
      app,
      chosen.map(({ id }) => id),
    ).finally(() => {
      for (const { lane, platformId } of chosen) capacity.release(lane, platformId)
    })
    for (const row of rows) startRow(runner, row)
  } while (runner.mustSearchAgain && !runner.isStopped)
}

/** Starts the jobs of a claimed row. */
function startRow(runner: Runner, { id, jobs }: DueRow): void {
  // A claim may expire while its row is still running here.
  if (runner.running.has(id)) return
  const [only] = jobs
  if (jobs.length > 1) for (const job of jobs) startSharedJob(runner, job, { id, size: jobs.length })
  else if (only) trackRow(runner, id, start(runner, only))
}

/** Starts a job that shares its row with others. */
function startSharedJob(runner: Runner, job: DueJob, shared: SharedRow): void {
  let row = runner.rows.get(shared.id)
  if (!row) {
    row = new RunningRow(shared)
    runner.rows.set(row.id, row)
    trackRow(runner, row.id, row.done)
  }
  const { app } = runner
  row.payloads.push(job.payload)
  const commitLast = async (writes: readonly Write[]) => {
    await waitForNextCommit(runner)
    const deleteRow = () =>
      commit(runner, createOp(app, job.platform, { kind: 'job', jobId: shared.id }), writes)
    if (!app.tracing) return deleteRow()
    // The span belongs to the trace of the last job, with links to the other jobs' traces.
    const links = row.payloads.filter((payload) => payload !== job.payload)
    return app.tracing.runBelow(job.payload, { name: 'delete job row', links }, deleteRow)
  }
  start(runner, job, row)
    .then(() => row.endJob(commitLast))
    .catch((error) => app.log.error({ err: error, job: shared.id }, 'failed to delete a finished job row'))
}

function trackRow(runner: Runner, id: string, done: Promise<void>): void {
  runner.running.set(id, done)
  void done.finally(() => {
    runner.running.delete(id)
    runner.rows.delete(id)
  })
}

/** Runs a job, and releases its capacity when it is done. Never rejects. */
function start(runner: Runner, job: DueJob, row?: RunningRow): Promise<void> {
  const { app, handlers, capacity } = runner
  const lane = findLane(job.kind)
  const platformId = job.platform_id
  capacity.take(lane, platformId)
  const startedMs = performance.now()
  const commitWrites = (op: Op, writes: readonly Write[]) => commit(runner, op, writes)
  return runInSpan(app, job, () => runJob(app, handlers, commitWrites, job, row))
    .catch((error) =>
      app.log.error({ err: error, job: job.id, kind: job.kind }, 'failed to run or postpone a job'),
    )
    .finally(() => {
      capacity.releaseAfter(lane, platformId, performance.now() - startedMs)
      if (capacity.wantsMore(lane, platformId)) wake(runner)
    })
}

/** Commits a write set, and starts as many of its new jobs as there is capacity for. */
async function commit(runner: Runner, op: Op, decided: readonly Write[]): Promise<CommitResult> {
  const { app, capacity } = runner
  const writes = op.enclave.addGuard([...decided, ...buildWebhookFaults(op, decided)])
  for (const proceed of runner.waitingDeletions) proceed()
  const due = dueNow(op, writes)
  const ownJobs: OwnJobs = runner.isStopped ? new Map() : takeOwnJobs(capacity, op, writes, due)
  let isDone = false
  let shared: ReadonlyMap<string, SharedRow> | undefined
  try {
    const result = await app.committer.commit(withClaims(app, ownJobs, writes))
    isDone = result.done
    if (result.done) {
      shared = result.shared
      app.workers.wakeQueues(writes)
    }
    return result
  } finally {
    for (const job of ownJobs.values()) {
      capacity.release(findLane(job.kind), job.platform_id)
      if (!isDone || runner.isStopped) continue
      const row = shared?.get(job.id)
      if (row) startSharedJob(runner, job, row)
      else startRow(runner, { id: job.id, jobs: [job] })
    }
    if (isDone && ownJobs.size < due.length) wake(runner)
  }
}

/**
 * Resolves with the next commit, or after a short delay: a separate commit costs as much as five sets of a
 * batch.
 */
function waitForNextCommit({ waitingDeletions }: Runner): Promise<void> {
  return new Promise((resolve) => {
    const proceed = () => {
      clearTimeout(timer)
      waitingDeletions.delete(proceed)
      resolve()
    }
    const timer = setTimeout(proceed, DELETION_DELAY_MS)
    waitingDeletions.add(proceed)
  })
}

async function runDue(runner: Runner, platformId: string): Promise<void> {
  let lastMissed: string | undefined
  for (;;) {
    const due = await selectDueJobs(runner.app, platformId, DUE_OF_PLATFORM_MAX)
    if (due.length === 0) return
    // Jobs that fall due in the meantime come after all of these.
    for (const { id } of due) {
      if (await runOne(runner, id)) continue
      // The job is done or, if it appears again, claimed by another process.
      if (id === lastMissed) await pause(OTHER_PROCESS_WAIT_MS)
      lastMissed = id
      break
    }
  }
}

/** Returns true if this process ran the job. Otherwise the caller must search again. */
async function runOne(runner: Runner, id: string): Promise<boolean> {
  const { app, running } = runner
  if (!running.has(id)) for (const row of await claimDue(app, [id])) startRow(runner, row)
  const done = running.get(id)
  await done
  return done !== undefined
}

function waitForNextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
