import { type App, createOp, type Op, plusSeconds } from '../app.ts'
import type { JobRow, PlatformRow } from '../db/tables.ts'
import { update, type Write } from '../db/writes.ts'
import { StaleRead } from '../operation.ts'
import type { JobHandler, JobKind } from './kinds.ts'

/** Runs due work, by each platform's own clock. */
export interface JobRunner {
  /** Looks for due work until `stop`: at every wake, and every second for what other processes left. */
  start(): void
  /** Something became due in this process: look now. */
  wake(): void
  /** Does all work of one platform that is due at its present time, in order of due time. */
  runDue(platformId: string): Promise<void>
  /** When the next work of a platform falls due, not later than `until`. */
  nextDue(platformId: string, until: Date): Promise<Date | undefined>
  /** Stops looking, and waits for what is under way. */
  stop(): Promise<void>
}

const POLL_MS = 1000
const BATCH_JOBS_MAX = 20
/** A process that claims a job and dies holds others off it for so long. */
const CLAIM_SECONDS = 30
const RETRY_SECONDS_MAX = 3600
const COMMIT_TRIES_MAX = 6

const MESSAGES = 'messages '

/** A platform's messages are a lane, the rest of its work is another. */
function laneOf({ kind, platform_id }: JobRow): string {
  return `${kind === 'message.deliver' ? MESSAGES : ''}${platform_id}`
}

type DueJob = JobRow & { readonly platform: PlatformRow }

export function createJobRunner(app: App, handlers: Readonly<Record<JobKind, JobHandler>>): JobRunner {
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  /** The lanes whose work is under way here. They do not wait for each other. */
  const busy = new Map<string, Promise<void>>()
  let again = false
  let stopped = false

  async function look(): Promise<void> {
    do {
      again = false
      const jobs = await selectDue(app, [...busy.keys()])
      for (const lane of new Set(jobs.map(laneOf))) busy.set(lane, workThrough(lane, jobs))
    } while (again && !stopped)
  }

  /** Does the jobs of one lane, then looks whether there are more. */
  async function workThrough(lane: string, jobs: readonly DueJob[]): Promise<void> {
    const own = jobs.filter((job) => laneOf(job) === lane)
    const run = async (job: DueJob) => {
      if (!stopped && (await claim(app, job))) await perform(job)
    }
    try {
      // Payments of a platform in order. Messages wait for machines elsewhere, and for nothing of ours.
      if (lane.startsWith(MESSAGES)) await Promise.all(own.map(run))
      else for (const job of own) await run(job)
    } catch (error) {
      app.log.error({ err: error, lane }, 'due work was cut short')
    }
    busy.delete(lane)
    wake()
  }

  async function perform(job: DueJob): Promise<void> {
    const op = createOp(app, job.platform, { kind: 'job', jobId: job.id })
    try {
      for (let tries = 1; tries <= COMMIT_TRIES_MAX; tries++) {
        const writes = await decide(op, job)
        if (!writes) continue
        const { done } = await app.committer.commit([
          { write: 'remove', table: 'jobs', id: job.id },
          ...writes,
        ])
        if (done || !(await exists(app, job.id))) return
      }
      throw new Error('The records kept changing')
    } catch (error) {
      // Done elsewhere meanwhile: what failed here has met its effects.
      if (!(await exists(app, job.id))) return
      app.log.error({ err: error, job: job.id, kind: job.kind, attempts: job.attempts }, 'job failed')
      const wait = Math.min(RETRY_SECONDS_MAX, 2 ** Math.min(job.attempts, 12))
      const change = {
        attempts: job.attempts + 1,
        last_error: String(error),
        claimed_until: null,
        due_at: plusSeconds(op.now, wait),
      }
      await app.committer.commit([update('jobs', job.id, {}, change)])
    }
  }

  /** What the job wants written; undefined where its reads were stale. */
  async function decide(op: Op, job: DueJob): Promise<readonly Write[] | undefined> {
    try {
      return await handlers[job.kind as JobKind](op, job.payload)
    } catch (error) {
      if (error instanceof StaleRead) return undefined
      throw error
    }
  }

  function wake(): void {
    if (stopped) return
    again = true
    looking ??= look()
      .catch((error) => app.log.error({ err: error }, 'looking for due work failed'))
      .finally(() => {
        looking = undefined
      })
  }

  return {
    start() {
      timer = setInterval(wake, POLL_MS)
      wake()
    },
    wake,
    async runDue(platformId) {
      for (;;) {
        const jobs = await selectDueOf(app, platformId)
        if (jobs.length === 0) return
        for (const job of jobs) await perform(job)
      }
    },
    nextDue: (platformId, until) => selectNextDue(app, platformId, until),
    async stop() {
      stopped = true
      clearInterval(timer)
      await looking
      await Promise.all(busy.values())
    },
  }
}

/** What is due now and claimed by nobody, of lanes that are not busy; earliest first. Claims are in real time. */
async function selectDue(app: App, busy: readonly string[]): Promise<DueJob[]> {
  const { rows } = await app.db.query<JobRow>(
    `SELECT j.* FROM platforms p CROSS JOIN LATERAL (
       SELECT * FROM jobs WHERE platform_id = p.id
         AND due_at <= $1::timestamptz + p.clock_offset_ms * interval '1 millisecond'
         AND (claimed_until IS NULL OR claimed_until <= $1)
         AND CASE kind WHEN 'message.deliver' THEN '${MESSAGES}' ELSE '' END || p.id <> ALL ($3)
       ORDER BY due_at, id LIMIT $2) j
     ORDER BY j.due_at, j.id LIMIT $2`,
    [app.clock(), BATCH_JOBS_MAX, busy],
  )
  return withPlatforms(app, rows)
}

/** What is due of one platform, claimed or not: doing a job twice has one effect. */
async function selectDueOf(app: App, platformId: string): Promise<DueJob[]> {
  const { rows } = await app.db.query<JobRow>(
    `SELECT j.* FROM jobs j JOIN platforms p ON p.id = j.platform_id WHERE p.id = $1
       AND j.due_at <= $2::timestamptz + p.clock_offset_ms * interval '1 millisecond' ORDER BY j.due_at, j.id LIMIT $3`,
    [platformId, app.clock(), BATCH_JOBS_MAX],
  )
  return withPlatforms(app, rows)
}

async function selectNextDue(app: App, platformId: string, until: Date): Promise<Date | undefined> {
  const row = await app.read
    .selectFrom('jobs')
    .select('due_at')
    .where('platform_id', '=', platformId)
    .where('due_at', '<=', until)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  return row?.due_at
}

async function withPlatforms(app: App, jobs: readonly JobRow[]): Promise<DueJob[]> {
  if (jobs.length === 0) return []
  const ids = [...new Set(jobs.map((job) => job.platform_id))]
  const platforms = await app.read.selectFrom('platforms').selectAll().where('id', 'in', ids).execute()
  const byId = new Map(platforms.map((platform) => [platform.id, platform]))
  return jobs.map((job) => ({ ...job, platform: byId.get(job.platform_id)! }))
}

async function claim(app: App, job: JobRow): Promise<boolean> {
  const change = { attempts: job.attempts + 1, claimed_until: plusSeconds(app.clock(), CLAIM_SECONDS) }
  return (await app.committer.commit([update('jobs', job.id, { attempts: job.attempts }, change)])).done
}

async function exists(app: App, id: string): Promise<boolean> {
  return (
    (await app.read.selectFrom('jobs').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
  )
}
