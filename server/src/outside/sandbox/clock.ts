import type { App } from '../../kernel/operation/app.ts'
import type { JobRunner } from '../../kernel/outbox/job-runner.ts'
import type { Sender } from '../../people/webhook-endpoints/sender.ts'
import { update } from '../../storage/commit/writes.ts'
import { LostConnection, NoConnection } from '../../storage/engine/port.ts'
import { selectClockOffset } from './store.ts'

/**
 * The time that one advance may spend delivering webhooks. A week contains hundreds of attempts at an
 * endpoint that is down, and each may take seconds. Later deliveries are late, as after an outage; all jobs
 * still run on time.
 */
const WEBHOOKS_MS_MAX = 5000

/** Runs the work that becomes due as a platform's clock moves. */
export interface DueWork {
  readonly jobs: Pick<JobRunner, 'nextDue' | 'runDue'>
  readonly sender: Pick<Sender, 'nextDue' | 'settle'>
}

/**
 * Moves a platform's clock forward to `target`. On the way, runs jobs and sends webhooks at their due times.
 * Each step is a separate transaction, so an interrupted advance leaves the clock at an earlier time; its
 * error must then not say that nothing was done.
 */
export async function advanceClock(
  app: App,
  { jobs, sender }: DueWork,
  platformId: string,
  target: Date,
  webhooksMs = WEBHOOKS_MS_MAX,
): Promise<Date> {
  const webhooksUntilMs = performance.now() + webhooksMs
  let hasMoved = false
  for (;;) {
    try {
      await sender.settle(platformId, webhooksUntilMs)
      const withWebhooks = performance.now() < webhooksUntilMs
      // A response to a webhook can make more work due after the target, because real time passes.
      const until = new Date(Math.max(target.getTime(), (await readClock(app, platformId)).now.getTime()))
      const job = await jobs.nextDue(platformId, until)
      const attempt = withWebhooks ? await sender.nextDue(platformId, until) : undefined
      const due = job && attempt ? (job < attempt ? job : attempt) : (job ?? attempt)
      const now = await setClock(app, platformId, due ?? target)
      hasMoved = true
      if (!due) return now
      await jobs.runDue(platformId)
    } catch (cause) {
      if (!hasMoved) throw cause
      // An unavailable database means that nothing changed in this step, but earlier steps have changed
      // something.
      const ErrorType = cause instanceof NoConnection ? LostConnection : Error
      throw new ErrorType('failed to complete a clock advance', { cause })
    }
  }
}

/** The platform's time, and its components: the real time and the offset in milliseconds. */
async function readClock(
  app: App,
  platformId: string,
): Promise<{ readonly real: Date; readonly offset: bigint; readonly now: Date }> {
  const offset = await selectClockOffset(app, platformId)
  const real = app.clock()
  return { real, offset, now: new Date(real.getTime() + Number(offset)) }
}

/** Sets the clock unless it is already past that time. Returns the resulting time. */
async function setClock(app: App, platformId: string, at: Date): Promise<Date> {
  for (;;) {
    const { real, offset: before, now } = await readClock(app, platformId)
    if (now >= at) return now
    const offset = { clock_offset_ms: BigInt(at.getTime() - real.getTime()) }
    const { done } = await app.committer.commit([
      update('platforms', platformId, { clock_offset_ms: before }, offset),
    ])
    if (done) return at
  }
}
