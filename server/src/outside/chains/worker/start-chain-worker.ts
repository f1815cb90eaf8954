import type { App } from '../../../kernel/operation/app.ts'
import { type Background, inBackground } from '../../../kernel/operation/background.ts'
import type { Hold } from './chain-worker.ts'

const INTERVAL_MS = 250

/**
 * Keeps chains going: deposits are seen, payments are sent and watched, addresses are swept. Of several processes one works at a
 * chain at a time; what it does is guarded all the same, and a crash at any point leaves the rest to the next one.
 */
export function keepChains(app: App): Background {
  const holds = new Map<string, Hold>()
  // What a chain needs takes long to load, and most servers have none.
  const desk = () => import('./chain-worker.ts')
  const work = inBackground(
    INTERVAL_MS,
    async () => {
      if (app.rails.list().some(({ chain }) => chain)) await (await desk()).workAtChains(app, holds)
    },
    (error) => app.log.error({ err: error }, 'the work at chains failed'),
  )
  return {
    wake: work.wake,
    async stop() {
      await work.stop()
      if (holds.size > 0) await (await desk()).releaseAll(app, holds)
    },
  }
}
