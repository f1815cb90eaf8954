import type { App } from '../../op/app.ts'
import { type Background, inBackground } from '../../op/background.ts'
import type { Hold } from './desk.ts'

const INTERVAL_MS = 250

/**
 * Keeps chains going: deposits are seen, payments are sent and watched, addresses are swept. Of several processes one works at a
 * chain at a time; what it does is guarded all the same, and a crash at any point leaves the rest to the next one.
 */
export function keepChains(app: App): Background {
  const holds = new Map<string, Hold>()
  // What a chain needs takes long to load, and most servers have none.
  const desk = () => import('./desk.ts')
  const work = inBackground(
    INTERVAL_MS,
    async () => {
      if (app.rails.list().some(({ chain }) => chain)) await (await desk()).workAtChains(app, holds)
    },
    (error) => app.log.error({ err: error }, 'the work at chains failed'),
  )
  return {
    async stop() {
      await work.stop()
      if (holds.size > 0) await (await desk()).releaseAll(app, holds)
    },
  }
}
