import { setTimeout as pause } from 'node:timers/promises'
import type { SharedRow } from '../../storage/commit/batch.ts'
import type { CommitResult } from '../../storage/commit/committer.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { type App, createOp, type Op } from '../operation/app.ts'
import { Capacity } from './capacity.ts'
import { webhookFaults } from './events.ts'
import type { JobHandlers } from './job-kinds.ts'
import { dueNow } from './jobs.ts'
import { laneOf } from './lanes.ts'
import { type OwnWork, takeOwnWork, withClaims } from './local-jobs.ts'
import { asSpan, perform } from './run-job.ts'
import { RowUnderWay } from './shared-row.ts'
import { claimDue, type DueJob, type DueRow, selectDue, selectDueOf, selectNextDue } from './store.ts'

/** Runs due jobs, by each platform's own clock. */
export interface JobRunner {
  /**
   * Searches for due jobs until `stop`: at every wake, and every second for jobs that other processes left.
   */
  start(): void
  /** Searches now, because this process has created a due job. */
  wake(): void
  /** Commits the writes of an operation. Its due jobs start immediately if there is capacity. */
  commit(op: Op, writes: readonly Write[]): Promise<CommitResult>
  /**
   * Runs all jobs of one platform that are due at its current time, in order of due time, and waits for jobs
   * that other processes run.
   */
  runDue(platformId: string): Promise<void>
  /** The time when the next job of a platform falls due, not later than `until`. */
  nextDue(platformId: string, until: Date): Promise<Date | undefined>
  /** Stops searching, and waits for the jobs in progress. */
  stop(): Promise<void>
}

const POLL_MS = 1000
/** The maximum number of jobs that `runDue` reads at a time. */
const DUE_OF_PLATFORM_MAX = 64
/** The time that a completed row waits to be deleted with another commit. */
const ALONE_MS = 20
/** The time that `runDue` waits for another process before it searches again. */
const ELSEWHERE_MS = 50

interface Runner {
  readonly app: App
  readonly handlers: JobHandlers
  /** Capacity taken by running jobs, and by jobs that start after their claim or commit. */
  readonly capacity: Capacity
  /** The rows running in this process, by id, including rows that several jobs share. */
  readonly underWay: Map<string, Promise<void>>
  readonly rows: Map<string, RowUnderWay>
  /** Deletions that wait for another commit. */
  readonly patient: Set<() => void>
  /** The current search for due jobs. */
  looking: Promise<void> | undefined
  /** True if a job fell due since the last search. */
  mustLookAgain: boolean
  timer: NodeJS.Timeout | undefined
  isStopped: boolean
}

export function createJobRunner(app: App, handlers: JobHandlers): JobRunner {
  const runner: Runner = {
    app,
    handlers,
    capacity: new Capacity(),
    underWay: new Map(),
    rows: new Map(),
    patient: new Set(),
    looking: undefined,
    mustLookAgain: false,
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
      await runner.looking
      await Promise.all(runner.underWay.values())
    },
  }
}

/** Starts a search, or lets the current one search once more. */
function wake(runner: Runner): void {
  if (runner.isStopped) return
  runner.mustLookAgain = true
  const { tracing } = runner.app
  // The search serves all callers, so it belongs to no span.
  runner.looking ??= (tracing ? tracing.apart(() => look(runner)) : look(runner))
    .catch((error) => runner.app.log.error({ err: error }, 'failed to search for due jobs'))
    .finally(() => {
      runner.looking = undefined
      // A wake may come after the last search and before this line.
      if (runner.mustLookAgain) wake(runner)
    })
}

/** Claims and starts due jobs while there is capacity, until no more have fallen due. */
async function look(runner: Runner): Promise<void> {
  const { app, capacity } = runner
  do {
    // Jobs that end in the same turn of the event loop release their capacity together.
    await nextTurn()
    runner.mustLookAgain = false
    // `runDue` may have started more than there was capacity for.
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
    for (const row of rows) begin(runner, row)
  } while (runner.mustLookAgain && !runner.isStopped)
}

/** Starts the jobs of a claimed row. */
function begin(runner: Runner, { id, jobs }: DueRow): void {
  // The claim may expire while the row is running, which then continues.
  if (runner.underWay.has(id)) return
  const [only] = jobs
  if (jobs.length > 1) for (const job of jobs) beginShared(runner, job, { id, size: jobs.length })
  else if (only) follow(runner, id, start(runner, only))
}

/** Starts a job that shares its row. */
function beginShared(runner: Runner, job: DueJob, shared: SharedRow): void {
  let row = runner.rows.get(shared.id)
  if (!row) {
    row = new RowUnderWay(shared)
    runner.rows.set(row.id, row)
    follow(runner, row.id, row.done)
  }
  const { app } = runner
  row.payloads.push(job.payload)
  const commitLast = async (writes: readonly Write[]) => {
    await nextCommit(runner)
    const takeOff = () =>
      commit(runner, createOp(app, job.platform, { kind: 'job', jobId: shared.id }), writes)
    if (!app.tracing) return takeOff()
    // The span belongs to the last job's trace, with links to the traces of the others.
    const links = row.payloads.filter((payload) => payload !== job.payload)
    return app.tracing.runBelow(job.payload, { name: 'delete job row', links }, takeOff)
  }
  start(runner, job, row)
    .then(() => row.endJob(commitLast))
    .catch((error) => app.log.error({ err: error, job: shared.id }, 'failed to delete a finished job row'))
}

function follow(runner: Runner, id: string, done: Promise<void>): void {
  runner.underWay.set(id, done)
  void done.finally(() => {
    runner.underWay.delete(id)
    runner.rows.delete(id)
  })
}

/** Runs a job. Its capacity is released when it is done. Never rejects. */
function start(runner: Runner, job: DueJob, row?: RowUnderWay): Promise<void> {
  const { app, handlers, capacity } = runner
  const lane = laneOf(job.kind)
  const platformId = job.platform_id
  capacity.take(lane, platformId)
  const begunMs = performance.now()
  const own = (op: Op, writes: readonly Write[]) => commit(runner, op, writes)
  return asSpan(app, job, () => perform(app, handlers, own, job, row))
    .catch((error) =>
      app.log.error({ err: error, job: job.id, kind: job.kind }, 'failed to run or postpone a job'),
    )
    .finally(() => {
      capacity.releaseAfter(lane, platformId, performance.now() - begunMs)
      if (capacity.wantsMore(lane, platformId)) wake(runner)
    })
}

/** Commits a write set, and starts as many of its new jobs as there is room for. */
async function commit(runner: Runner, op: Op, decided: readonly Write[]): Promise<CommitResult> {
  const { app, capacity } = runner
  const writes = op.enclave.addGuard([...decided, ...webhookFaults(op, decided)])
  for (const go of runner.patient) go()
  const due = dueNow(op, writes)
  const own: OwnWork = runner.isStopped ? new Map() : takeOwnWork(capacity, op, writes, due)
  let isDone = false
  let shared: ReadonlyMap<string, SharedRow> | undefined
  try {
    const result = await app.committer.commit(withClaims(app, own, writes))
    isDone = result.done
    if (result.done) {
      shared = result.shared
      app.workers.wakeQueues(writes)
    }
    return result
  } finally {
    for (const job of own.values()) {
      capacity.release(laneOf(job.kind), job.platform_id)
      if (!isDone || runner.isStopped) continue
      const row = shared?.get(job.id)
      if (row) beginShared(runner, job, row)
      else begin(runner, { id: job.id, jobs: [job] })
    }
    if (isDone && own.size < due.length) wake(runner)
  }
}

/** Resolves with the next commit, or soon: a commit of one set costs as much as five sets of a batch. */
function nextCommit({ patient }: Runner): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer)
      patient.delete(go)
      resolve()
    }
    const timer = setTimeout(go, ALONE_MS)
    patient.add(go)
  })
}

async function runDue(runner: Runner, platformId: string): Promise<void> {
  let missed: string | undefined
  for (;;) {
    const due = await selectDueOf(runner.app, platformId, DUE_OF_PLATFORM_MAX)
    if (due.length === 0) return
    // Jobs that fall due meanwhile are later than all of these.
    for (const { id } of due) {
      if (await runOne(runner, id)) continue
      // It was done meanwhile or, if it appears again, is claimed by another process.
      if (id === missed) await pause(ELSEWHERE_MS)
      missed = id
      break
    }
  }
}

/** Returns true if this process has done the job. Otherwise the caller searches again. */
async function runOne(runner: Runner, id: string): Promise<boolean> {
  const { app, underWay } = runner
  if (!underWay.has(id)) for (const row of await claimDue(app, [id])) begin(runner, row)
  const done = underWay.get(id)
  await done
  return done !== undefined
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
