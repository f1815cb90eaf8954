import { setTimeout as pause } from 'node:timers/promises'
import type { CommitResult } from '../db/commit/committer.ts'
import type { Write } from '../db/commit/writes.ts'
import type { App, Op } from '../op/app.ts'
import { inTime } from '../op/in-time.ts'
import { dueNow } from './jobs.ts'
import type { JobHandlers } from './kinds.ts'
import { laneOf, WEBHOOK_LANES } from './lanes.ts'
import { type OwnWork, takeOwnWork, withClaims } from './own-work.ts'
import { perform } from './perform.ts'
import { Room } from './room.ts'
import { claimDue, type DueJob, selectDue, selectDueOf, selectNextDue } from './store.ts'

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

/** How a runner stands. */
interface Runner {
  readonly app: App
  readonly handlers: JobHandlers
  /** What is taken by jobs that are under way, or will be once their claim or their commit is done. */
  readonly room: Room
  /** The jobs that are being done here, by their ids. */
  readonly underWay: Map<string, Promise<void>>
  /** The present search for due work. */
  looking: Promise<void> | undefined
  /** Whether something became due since the last look. */
  mustLookAgain: boolean
  timer: NodeJS.Timeout | undefined
  isStopped: boolean
}

export function createJobRunner(app: App, handlers: JobHandlers): JobRunner {
  const runner: Runner = {
    app,
    handlers,
    room: new Room(),
    underWay: new Map(),
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
    runDue: (platformId, webhooksUntilMs) => runDue(runner, platformId, webhooksUntilMs),
    nextDue: (platformId, until, withWebhooks) => selectNextDue(app, platformId, until, withWebhooks),
    async stop() {
      runner.isStopped = true
      clearInterval(runner.timer)
      await runner.looking
      await Promise.all(runner.underWay.values())
    },
  }
}

/** Begins a search, or has the one that is under way look once more. */
function wake(runner: Runner): void {
  if (runner.isStopped) return
  runner.mustLookAgain = true
  runner.looking ??= look(runner)
    .catch((error) => runner.app.log.error({ err: error }, 'looking for due work failed'))
    .finally(() => {
      runner.looking = undefined
      // A wake that came after the last look and before this.
      if (runner.mustLookAgain) wake(runner)
    })
}

/** Claims what is due and there is room for, and begins it, until nothing became due meanwhile. */
async function look(runner: Runner): Promise<void> {
  const { app, room } = runner
  do {
    // So that what ends within one turn of the event loop makes room together.
    await nextTurn()
    runner.mustLookAgain = false
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
    for (const job of jobs) begin(runner, job)
  } while (runner.mustLookAgain && !runner.isStopped)
}

/** Begins a claimed job. What it took makes room for others when it is done. */
function begin(runner: Runner, job: DueJob): void {
  const { app, handlers, room, underWay } = runner
  // A claim may run out before its work is done: it goes on all the same.
  if (underWay.has(job.id)) return
  const lane = laneOf(job.kind)
  const platformId = job.platform_id
  room.take(lane, platformId)
  const begunMs = performance.now()
  const done = perform(app, handlers, (op, writes) => commit(runner, op, writes), job)
    .catch((error) => app.log.error({ err: error, job: job.id, kind: job.kind }, 'a job was cut short'))
    .finally(() => {
      underWay.delete(job.id)
      room.done(lane, platformId, performance.now() - begunMs)
      if (room.wantsMore(lane, platformId)) wake(runner)
    })
  underWay.set(job.id, done)
}

/** Commits a write set, and begins of its new work what there is room for. */
async function commit(runner: Runner, op: Op, writes: readonly Write[]): Promise<CommitResult> {
  const { app, room } = runner
  const due = dueNow(op, writes)
  const own: OwnWork = runner.isStopped ? new Map() : takeOwnWork(room, op, writes, due)
  let isDone = false
  try {
    const result = await app.committer.commit(withClaims(app, own, writes))
    isDone = result.done
    return result
  } finally {
    for (const job of own.values()) {
      room.release(laneOf(job.kind), job.platform_id)
      if (isDone && !runner.isStopped) begin(runner, job)
    }
    if (isDone && own.size < due.length) wake(runner)
  }
}

async function runDue(runner: Runner, platformId: string, webhooksUntilMs: number): Promise<void> {
  let missed: string | undefined
  for (;;) {
    const withWebhooks = performance.now() < webhooksUntilMs
    const due = await selectDueOf(runner.app, platformId, DUE_OF_PLATFORM_MAX, withWebhooks)
    if (due.length === 0) return
    // What falls due meanwhile is later than all of these.
    for (const jobs of oneByOne(due)) {
      if (await runGroup(runner, jobs, webhooksUntilMs)) continue
      const [{ id }] = jobs
      // Done meanwhile, or claimed elsewhere, if it is there again.
      if (id === missed) await pause(ELSEWHERE_MS)
      missed = id
      break
    }
  }
}

/** Due work that is done side by side; at least one. */
type Group = readonly [DueOne, ...DueOne[]]
type DueOne = Pick<DueJob, 'id' | 'kind'>

/** Whether they are done, or left to go on by themselves. Else they have to be looked for again. */
async function runGroup(runner: Runner, jobs: Group, webhooksUntilMs: number): Promise<boolean> {
  const { app, underWay } = runner
  const leftMs = isWebhook(jobs[0]) ? webhooksUntilMs - performance.now() : undefined
  if (leftMs !== undefined && leftMs <= 0) return false
  const idle = jobs.map(({ id }) => id).filter((id) => !underWay.has(id))
  if (idle.length > 0) for (const job of await claimDue(app, idle)) begin(runner, job)
  const done = jobs.flatMap(({ id }) => underWay.get(id) ?? [])
  if (leftMs === undefined) await Promise.all(done)
  else await inTime(leftMs, Promise.all(done))
  return done.length === jobs.length
}

/** Job after job; but of adjacent webhooks none waits for the machine that another one goes to. */
function oneByOne(jobs: readonly DueOne[]): Group[] {
  const groups: [DueOne, ...DueOne[]][] = []
  for (const job of jobs) {
    const group = groups.at(-1)
    if (group && isWebhook(job) && isWebhook(group[0])) group.push(job)
    else groups.push([job])
  }
  return groups
}

function isWebhook({ kind }: DueOne): boolean {
  return WEBHOOK_LANES.has(laneOf(kind))
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
