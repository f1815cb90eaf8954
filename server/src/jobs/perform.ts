import type { CommitResult } from '../db/commit/committer.ts'
import { update, type Write } from '../db/commit/writes.ts'
import type { JobKind } from '../db/schema/job-tables.ts'
import { type App, createOp, type Op, plusSeconds } from '../op/app.ts'
import { LogWith } from '../op/log-with.ts'
import { StaleRead } from '../op/operation.ts'
import type { JobHandlers } from './kinds.ts'
import { type DueJob, selectJobExists } from './store.ts'

/** Commits the writes of an operation. */
export type Commit = (op: Op, writes: readonly Write[]) => Promise<CommitResult>

const COMMIT_ATTEMPTS_MAX = 6
const RETRY_SECONDS_MAX = 3600
/** Attempts that double the wait, which is then longer than `RETRY_SECONDS_MAX`. */
const DOUBLINGS_MAX = 12

/** Runs a claimed job, and removes it in the commit of its writes. A failed job is rescheduled. */
export async function perform<Kind extends JobKind>(
  app: App,
  handlers: JobHandlers,
  commit: Commit,
  job: DueJob<Kind>,
): Promise<void> {
  const { kind } = job
  const log = new LogWith(app.log, { job: job.id, kind, platformId: job.platform_id })
  const op = createOp(app, job.platform, { kind: 'job', jobId: job.id }, log)
  try {
    for (let attempt = 1; attempt <= COMMIT_ATTEMPTS_MAX; attempt++) {
      const known = attempt === 1 ? job.known : undefined
      const writes = await unlessStale(() => handlers[job.kind](op, job.payload, known))
      if (!writes) continue
      const { done } = await commit(op, [{ write: 'remove', table: 'jobs', id: job.id }, ...writes])
      if (done) app.metrics.job(kind, 'done')
      if (done || !(await selectJobExists(app, job.id))) return
    }
    throw new Error('The records kept changing')
  } catch (error) {
    // Another process has done the job, and its effects made this attempt fail.
    if (!(await selectJobExists(app, job.id))) return
    app.metrics.job(kind, 'failed')
    log.error({ err: error, attempts: job.attempts }, 'job failed')
    await putOff(app, op, job, error)
  }
}

/** The writes of a handler; undefined where its reads were stale. */
async function unlessStale(decide: () => Promise<readonly Write[]>): Promise<readonly Write[] | undefined> {
  try {
    return await decide()
  } catch (error) {
    if (error instanceof StaleRead) return undefined
    throw error
  }
}

/** Releases the claim and reschedules the job: the more often it has failed, the later. */
async function putOff(app: App, op: Op, job: DueJob, error: unknown): Promise<void> {
  const wait = Math.min(RETRY_SECONDS_MAX, 2 ** Math.min(job.attempts, DOUBLINGS_MAX))
  const change = {
    attempts: job.attempts + 1,
    last_error: String(error),
    claimed_until: null,
    due_at: plusSeconds(op.now, wait),
  }
  await app.committer.commit([update('jobs', job.id, {}, change)])
}
