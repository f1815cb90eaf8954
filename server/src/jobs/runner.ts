import { setTimeout as pause } from 'node:timers/promises'
import type { CommitResult } from '../db/commit/committer.ts'
import { update, type Write, withValues } from '../db/commit/writes.ts'
import { type App, createOp, type Op, plusSeconds } from '../op/app.ts'
import { inTime } from '../op/in-time.ts'
import { LogWith } from '../op/log-with.ts'
import { StaleRead } from '../op/operation.ts'
import { dueNow } from './jobs.ts'
import type { JobHandler, JobKind } from './kinds.ts'
import { LANES, laneOf, WEBHOOK_LANES } from './lanes.ts'
import { Room } from './room.ts'
import { claimDue, type DueJob, selectDue, selectDueOf, selectJobExists, selectNextDue } from './store.ts'

/** Runs due work, by each platform's own clock. */
export interface JobRunner {
  /** Looks for due work until `stop`: at every wake, and every second for what other processes left. */
  start(): void
  /** Something became due in this process: look now. */
  wake(): void
  /** Commits what an operation wants written. Work that is due by it begins at once, where there is room. */
  commit(op: Op, writes: readonly Write[]): Promise<CommitResult>
  /**
   * Does all work of one platform that is due at its present time, in order of due time, and waits for what others do of
   * it. Webhooks only until `webhooksUntilMs`, by `performance.now()`: those that are under way then go on.
   */
  runDue(platformId: string, webhooksUntilMs: number): Promise<void>
  /** When the next work of a platform falls due, webhooks or not, not later than `until`. */
  nextDue(platformId: string, until: Date, withWebhooks: boolean): Promise<Date | undefined>
  /** Stops looking, and waits for what is under way. */
  stop(): Promise<void>
}

const POLL_MS = 1000
/** What `runDue` reads at a time. */
const DUE_OF_PLATFORM_MAX = 64
/** How long `runDue` lets another process work before it looks again. */
const ELSEWHERE_MS = 50
const RETRY_SECONDS_MAX = 3600
const COMMIT_TRIES_MAX = 6

export function createJobRunner(app: App, handlers: Readonly<Record<JobKind, JobHandler>>): JobRunner {
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let again = false
  let stopped = false
  const underWay = new Map<string, Promise<void>>()
  /** What is taken by jobs that are under way, or will be once their claim or their commit is done. */
  const room = new Room()

  async function look(): Promise<void> {
    do {
      // So that what ends within one turn of the event loop makes room together.
      await nextTurn()
      again = false
      // `runDue` can have brought more than there was room for.
      if (room.isFull) return
      const offer = room.offer()
      const chosen = room.takeFor(await selectDue(app, offer), offer)
      if (chosen.length === 0) continue
      const jobs = await claimDue(
        app,
        chosen.map(({ id }) => id),
      ).finally(() => {
        for (const { lane, platformId } of chosen) room.release(lane, platformId)
      })
      for (const job of jobs) begin(job)
    } while (again && !stopped)
  }

  function begin(job: DueJob): void {
    // A claim may run out before its work is done: it goes on all the same.
    if (underWay.has(job.id)) return
    const lane = laneOf(job.kind)
    const platformId = job.platform_id
    room.take(lane, platformId)
    const begunMs = performance.now()
    const done = perform(job)
      .catch((error) => app.log.error({ err: error, job: job.id, kind: job.kind }, 'a job was cut short'))
      .finally(() => {
        underWay.delete(job.id)
        room.done(lane, platformId, performance.now() - begunMs)
        if (room.wantsMore(lane, platformId)) wake()
      })
    underWay.set(job.id, done)
  }

  async function perform(job: DueJob): Promise<void> {
    const log = new LogWith(app.log, { job: job.id, kind: job.kind, platformId: job.platform_id })
    const op = createOp(app, job.platform, { kind: 'job', jobId: job.id }, log)
    try {
      for (let tries = 1; tries <= COMMIT_TRIES_MAX; tries++) {
        const writes = await decide(op, job, tries === 1 ? job.known : undefined)
        if (!writes) continue
        const { done } = await commit(op, [{ write: 'remove', table: 'jobs', id: job.id }, ...writes])
        if (done) app.metrics.job(job.kind as JobKind, 'done')
        if (done || !(await selectJobExists(app, job.id))) return
      }
      throw new Error('The records kept changing')
    } catch (error) {
      // Done elsewhere meanwhile: what failed here has met its effects.
      if (!(await selectJobExists(app, job.id))) return
      app.metrics.job(job.kind as JobKind, 'failed')
      log.error({ err: error, attempts: job.attempts }, 'job failed')
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
  async function decide(op: Op, job: DueJob, known: unknown): Promise<readonly Write[] | undefined> {
    try {
      return await handlers[job.kind as JobKind](op, job.payload, known)
    } catch (error) {
      if (error instanceof StaleRead) return undefined
      throw error
    }
  }

  async function commit(op: Op, writes: readonly Write[]): Promise<CommitResult> {
    const due = dueNow(op, writes)
    const mine = new Map<Write, DueJob>()
    // What an operation changes of the platform itself, its due work finds changed: it is claimed, with the platform as it then is.
    const changesPlatform = writes.some((write) => write.write === 'update' && write.table === 'platforms')
    for (const { write, job, known } of due)
      if (!stopped && !changesPlatform && room.takeForNew(laneOf(job.kind), job.platform_id))
        mine.set(write, { ...job, platform: op.platform, known })
    let isDone = false
    try {
      const result = await app.committer.commit(mine.size > 0 ? writes.map(claimed) : writes)
      isDone = result.done
      return result
    } finally {
      for (const job of mine.values()) {
        room.release(laneOf(job.kind), job.platform_id)
        if (isDone && !stopped) begin(job)
      }
      if (isDone && mine.size < due.length) wake()
    }

    /** The write as it is for work that this process begins by itself: claimed from the first moment. */
    function claimed(write: Write): Write {
      if (write.write === 'event' && write.delivery)
        return mine.has(write.delivery) ? { ...write, delivery: claimed(write.delivery) } : write
      const job = mine.get(write)
      if (!job || write.write !== 'insert') return write
      const claimedUntil = plusSeconds(app.clock(), LANES[laneOf(job.kind)].claimSeconds)
      return withValues(write, { attempts: 1, claimed_until: claimedUntil })
    }
  }

  /** Whether they are done, or left to go on by themselves. Else they have to be looked for again. */
  async function runGroup(
    jobs: readonly Pick<DueJob, 'id' | 'kind'>[],
    webhooksUntilMs: number,
  ): Promise<boolean> {
    const leftMs = isWebhook(jobs[0]!) ? webhooksUntilMs - performance.now() : undefined
    if (leftMs !== undefined && leftMs <= 0) return false
    const idle = jobs.map(({ id }) => id).filter((id) => !underWay.has(id))
    if (idle.length > 0) for (const job of await claimDue(app, idle)) begin(job)
    const done = jobs.flatMap(({ id }) => underWay.get(id) ?? [])
    if (leftMs === undefined) await Promise.all(done)
    else await inTime(leftMs, Promise.all(done))
    return done.length === jobs.length
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
    commit,
    async runDue(platformId, webhooksUntilMs) {
      let missed: string | undefined
      for (;;) {
        const withWebhooks = performance.now() < webhooksUntilMs
        const due = await selectDueOf(app, platformId, DUE_OF_PLATFORM_MAX, withWebhooks)
        if (due.length === 0) return
        // What falls due meanwhile is later than all of these.
        for (const jobs of oneByOne(due)) {
          if (await runGroup(jobs, webhooksUntilMs)) continue
          // Done meanwhile, or claimed elsewhere, if it is there again.
          if (jobs[0]!.id === missed) await pause(ELSEWHERE_MS)
          missed = jobs[0]!.id
          break
        }
      }
    },
    nextDue: (platformId, until, withWebhooks) => selectNextDue(app, platformId, until, withWebhooks),
    async stop() {
      stopped = true
      clearInterval(timer)
      await looking
      await Promise.all(underWay.values())
    },
  }
}

/** Job after job; but of adjacent webhooks none waits for the machine that another one goes to. */
function oneByOne<J extends Pick<DueJob, 'kind'>>(jobs: readonly J[]): J[][] {
  const groups: J[][] = []
  for (const job of jobs) {
    const group = groups.at(-1)
    if (group && isWebhook(job) && isWebhook(group[0]!)) group.push(job)
    else groups.push([job])
  }
  return groups
}

function isWebhook({ kind }: Pick<DueJob, 'kind'>): boolean {
  return WEBHOOK_LANES.has(laneOf(kind))
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
