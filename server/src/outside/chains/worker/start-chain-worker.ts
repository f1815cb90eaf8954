import type { App } from '../../../kernel/operation/app.ts'
import { type Background, runInBackground } from '../../../kernel/operation/background.ts'
import type { Hold } from './chain-worker.ts'

const INTERVAL_MS = 250

/**
 * Starts the chain worker, which detects deposits, sends and watches payments, and sweeps addresses. One
 * process works on a chain at a time, but its steps are guarded anyway. After a crash at any point, another
 * process continues.
 */
export function startChainWorker(app: App): Background {
  const holds = new Map<string, Hold>()
  // Loaded lazily: the chain code takes long to load, and most servers have no chain.
  const worker = () => import('./chain-worker.ts')
  const work = runInBackground(
    INTERVAL_MS,
    async () => {
      if (app.rails.list().some(({ chain }) => chain)) await (await worker()).runAllChains(app, holds)
    },
    (error) => app.log.error({ err: error }, 'chain worker failed'),
  )
  return {
    ...work,
    async stop() {
      await work.stop()
      if (holds.size > 0) await (await worker()).releaseAll(app, holds)
    },
  }
}
