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
/** Jobs that one process does at a time. Their writes share database transactions. */
const JOBS_AT_ONCE_MAX = 64
/** Of these, messages: they wait for machines elsewhere, and payments must not wait for them. */
const MESSAGES_AT_ONCE_MAX = 32
const MESSAGE = 'message.deliver' satisfies JobKind
/**
 * A process that claims a job and dies holds others off it for so long. Doing a job twice has one effect all the same;
 * a message, though, would arrive twice.
 */
const CLAIM_SECONDS = 5
const MESSAGE_CLAIM_SECONDS = 30
const RETRY_SECONDS_MAX = 3600
const COMMIT_TRIES_MAX = 6

type DueJob = JobRow & { readonly platform: PlatformRow }

export function createJobRunner(app: App, handlers: Readonly<Record<JobKind, JobHandler>>): JobRunner {
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let again = false
  /** The last look found more than there was room for. */
  let hasMore = false
  let stopped = false
  const underWay = new Map<string, { readonly kind: string; readonly done: Promise<void> }>()

  async function look(): Promise<void> {
    do {
      again = false
      const room = JOBS_AT_ONCE_MAX - underWay.size
      const messages = [...underWay.values()].filter(({ kind }) => kind === MESSAGE).length
      const jobs = await selectDue(app, room, MESSAGES_AT_ONCE_MAX - messages)
      hasMore = jobs.length === room
      // Together, so that the claims are one commit.
      const claims = await Promise.allSettled(jobs.map((job) => claim(app, job)))
      for (const [index, job] of jobs.entries()) {
        const claimed = claims[index]!
        if (claimed.status === 'fulfilled' && claimed.value) begin(job)
      }
    } while (again && !stopped)
  }

  function begin(job: DueJob): void {
    const done = perform(job)
      .catch((error) => app.log.error({ err: error, job: job.id }, 'a job was cut short'))
      .finally(() => {
        underWay.delete(job.id)
        if (hasMore || job.kind === MESSAGE) wake()
      })
    underWay.set(job.id, { kind: job.kind, done })
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
        if (done && writes.some((write) => write.write === 'insert' && write.table === 'jobs')) wake()
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
        // A wake that came after the last look and before this.
        if (again) wake()
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
      await Promise.all([...underWay.values()].map(({ done }) => done))
    },
  }
}

/** What is due now and claimed by nobody, earliest first; of messages so many at most. Claims are in real time. */
async function selectDue(app: App, limit: number, messagesMax: number): Promise<DueJob[]> {
  if (limit <= 0) return []
  const { rows } = await app.db.query<JobRow>(
    `WITH due AS (SELECT j.*, row_number() OVER (PARTITION BY j.kind ORDER BY j.due_at, j.id) AS place
       FROM platforms p CROSS JOIN LATERAL (
         SELECT * FROM jobs WHERE platform_id = p.id
           AND due_at <= $1::timestamptz + p.clock_offset_ms * interval '1 millisecond'
           AND (claimed_until IS NULL OR claimed_until <= $1)
           AND ($3 > 0 OR kind <> '${MESSAGE}') ORDER BY due_at, id LIMIT $2) j)
     SELECT * FROM due WHERE kind <> '${MESSAGE}' OR place <= $3 ORDER BY due_at, id LIMIT $2`,
    [app.clock(), limit, messagesMax],
  )
  return withPlatforms(app, rows)
}

/** What is due of one platform, claimed or not: doing a job twice has one effect. */
async function selectDueOf(app: App, platformId: string): Promise<DueJob[]> {
  const { rows } = await app.db.query<JobRow>(
    `SELECT j.* FROM jobs j JOIN platforms p ON p.id = j.platform_id WHERE p.id = $1
       AND j.due_at <= $2::timestamptz + p.clock_offset_ms * interval '1 millisecond' ORDER BY j.due_at, j.id LIMIT $3`,
    [platformId, app.clock(), JOBS_AT_ONCE_MAX],
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
  const seconds = job.kind === MESSAGE ? MESSAGE_CLAIM_SECONDS : CLAIM_SECONDS
  const change = { attempts: job.attempts + 1, claimed_until: plusSeconds(app.clock(), seconds) }
  return (await app.committer.commit([update('jobs', job.id, { attempts: job.attempts }, change)])).done
}

async function exists(app: App, id: string): Promise<boolean> {
  return (
    (await app.read.selectFrom('jobs').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
  )
}
