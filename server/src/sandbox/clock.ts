import type { App } from '../app.ts'
import { update } from '../db/writes.ts'
import type { JobRunner } from '../jobs/runner.ts'
import { selectClockOffset } from './store.ts'

/**
 * Moves a platform's clock forward to `target`, doing what falls due on the way at the time it falls due. Each step is
 * a transaction of its own: an advance that is cut short has simply not come as far.
 */
export async function advanceClock(
  app: App,
  jobs: JobRunner,
  platformId: string,
  target: Date,
): Promise<Date> {
  for (;;) {
    const due = await jobs.nextDue(platformId, target)
    const now = await setClock(app, platformId, due ?? target)
    if (!due) return now
    await jobs.runDue(platformId)
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
