import { getErrorKind } from '../../base/formats/thrown-errors.ts'
import type { CommitResult } from '../../storage/commit/committer.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { JobKind } from '../../storage/rows/job.ts'
import { type App, addSeconds, createOp, type Op } from '../operation/app.ts'
import { LogWith } from '../operation/log-fields.ts'
import { StaleRead } from '../operation/operation.ts'
import type { JobHandlers } from './job-kinds.ts'
import { isOnlyDueWork, type RunningRow } from './shared-row.ts'
import { type DueJob, selectJobExists } from './store.ts'

/** Commits the writes of an operation. */
export type Commit = (op: Op, writes: readonly Write[]) => Promise<CommitResult>

const COMMIT_ATTEMPTS_MAX = 6
const RETRY_SECONDS_MAX = 3600
/** More doublings would exceed `RETRY_SECONDS_MAX`. */
const DOUBLINGS_MAX = 12

/** Runs a job in a span of its trace if tracing is enabled. */
export function runInSpan({ tracing }: App, job: DueJob, work: () => Promise<void>): Promise<void> {
  if (!tracing) return work()
  const attributes = {
    'countersign.job.kind': job.kind,
    'countersign.job.id': job.id,
    'countersign.job.attempt': job.attempts + 1,
    'countersign.platform.id': job.platform_id,
  }
  return tracing.runBelow(job.payload, { name: `job ${job.kind}`, kind: 'consumer', attributes }, work)
}

/**
 * Runs a claimed job and commits its writes. Unless it shares a `row`, the job is removed in the same commit.
 * If it fails, it is rescheduled.
 */
export async function runJob<Kind extends JobKind>(
  app: App,
  handlers: JobHandlers,
  commit: Commit,
  job: DueJob<Kind>,
  row?: RunningRow,
): Promise<void> {
  const { kind } = job
  const { tracing } = app
  const traceId = tracing?.traceId()
  const log = new LogWith(app.log, { job: job.id, kind, platformId: job.platform_id, traceId })
  const op = createOp(app, job.platform, { kind: 'job', jobId: job.id }, { log, known: job.known })
  try {
    for (let attempt = 1; attempt <= COMMIT_ATTEMPTS_MAX; attempt++) {
      if (attempt > 1) {
        op.known.forget()
        tracing?.event('job.rerun', { attempt: attempt - 1 })
      }
      const writes = await decideUnlessStale(() => handlers[job.kind](op, job.payload))
      if (!writes) continue
      if (row && isOnlyDueWork(writes)) {
        row.addWrites(writes)
        app.metrics.job(kind, 'done')
        return
      }
      const { done } = await commit(op, row ? writes : [buildRemoval(job), ...writes])
      if (done) app.metrics.job(kind, 'done')
      if (done || (!row && !(await selectJobExists(app, job.id)))) return
    }
    throw new Error('The records kept changing')
  } catch (error) {
    // Another process has finished the job, whose effects made this attempt fail.
    if (!row && !(await selectJobExists(app, job.id))) return
    app.metrics.job(kind, 'failed')
    tracing?.markFailed(getErrorKind(error))
    log.error({ err: error, attempts: job.attempts }, 'job failed')
    const change = buildPostponement(op, job, error)
    if (row) row.addWrites([insert('jobs', { ...newJobRow(op, job), ...change })])
    else await app.committer.commit([update('jobs', job.id, {}, change)])
  }
}

/** The writes of a handler, or undefined if it read stale data. */
async function decideUnlessStale(
  decide: () => Promise<readonly Write[]>,
): Promise<readonly Write[] | undefined> {
  try {
    return await decide()
  } catch (error) {
    if (error instanceof StaleRead) return undefined
    throw error
  }
}

function buildRemoval({ id }: DueJob): Write {
  return { write: 'remove', table: 'jobs', id }
}

/** Copies a job to a separate row. */
function newJobRow(op: Op, { platform_id, kind, payload, created_at }: DueJob) {
  return { id: op.newId('Job'), platform_id, kind, payload, created_at }
}

/** Releases the claim and reschedules the job with exponential backoff. */
function buildPostponement(op: Op, job: DueJob, error: unknown) {
  const delaySeconds = Math.min(RETRY_SECONDS_MAX, 2 ** Math.min(job.attempts, DOUBLINGS_MAX))
  return {
    attempts: job.attempts + 1,
    last_error: String(error),
    claimed_until: null,
    due_at: addSeconds(op.now, delaySeconds),
  }
}
