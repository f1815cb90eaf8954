import { update } from '../db/commit/writes.ts'
import type { JobRunner } from '../jobs/runner.ts'
import type { App } from '../op/app.ts'
import { selectClockOffset } from './store.ts'

/**
 * For so long an advance delivers webhooks at their time. An endpoint that is down is tried hundreds of times a week, and
 * each try may take seconds: those that are left are for the runner, late, as after an outage. Everything else is on time.
 */
const WEBHOOKS_MS_MAX = 5000

/**
 * Moves a platform's clock forward to `target`, doing what falls due on the way at the time it falls due. Each step is
 * a transaction of its own: an advance that is cut short has simply not come as far. Its error then is a plain one,
 * because something was done.
 */
export async function advanceClock(
  app: App,
  jobs: JobRunner,
  platformId: string,
  target: Date,
  webhooksMs = WEBHOOKS_MS_MAX,
): Promise<Date> {
  const webhooksUntilMs = performance.now() + webhooksMs
  let hasMoved = false
  for (;;) {
    try {
      const withWebhooks = performance.now() < webhooksUntilMs
      const due = await jobs.nextDue(platformId, target, withWebhooks)
      const now = await setClock(app, platformId, due ?? target)
      hasMoved = true
      if (due) await jobs.runDue(platformId, webhooksUntilMs)
      else {
        if (!withWebhooks) jobs.wake()
        return now
      }
    } catch (cause) {
      throw hasMoved ? new Error('an advance was cut short', { cause }) : cause
    }
  }
}

/** Sets the clock unless it is past that time already. Gives the time it then is. */
async function setClock(app: App, platformId: string, at: Date): Promise<Date> {
  for (;;) {
    const before = await selectClockOffset(app, platformId)
    const real = app.clock()
    const now = new Date(real.getTime() + Number(before))
    if (now >= at) return now
    const offset = { clock_offset_ms: BigInt(at.getTime() - real.getTime()) }
    const { done } = await app.committer.commit([
      update('platforms', platformId, { clock_offset_ms: before }, offset),
    ])
    if (done) return at
  }
}
