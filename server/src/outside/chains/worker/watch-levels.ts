import { getErrorMessage } from '../../../base/formats/thrown-errors.ts'
import type { ChainWorker, EvmRail } from '../evm-rail.ts'
import { describeLowLevels, readLevels, toBalanceMetrics } from '../levels.ts'

const EVERY_MS = 15_000

const readAtMs = new WeakMap<EvmRail, number>()

/**
 * Checks periodically that the sending accounts have enough. Every process does this, because each has its
 * own metrics and overview. If no node responds, the levels are unknown, and the worker's next steps report
 * the failure.
 */
export async function watchLevels({ app, rail }: ChainWorker): Promise<void> {
  const nowMs = performance.now()
  if (nowMs < (readAtMs.get(rail) ?? Number.NEGATIVE_INFINITY) + EVERY_MS) return
  readAtMs.set(rail, nowMs)
  const before = rail.lowBalances
  try {
    const levels = await readLevels(app, rail, app.clock())
    rail.levels = levels
    rail.lowBalances = describeLowLevels(levels)
    app.metrics.chainBalances(rail.name, toBalanceMetrics(levels))
  } catch (error) {
    rail.levels = []
    rail.lowBalances = []
    app.metrics.chainBalances(rail.name, [])
    app.log.warn({ rail: rail.name, why: getErrorMessage(error) }, 'failed to read the balances of a chain')
  }
  if (rail.lowBalances.length > 0 && before.length === 0)
    app.log.warn(
      { rail: rail.name, why: rail.lowBalances.join(' ') },
      'chain account below its low-water mark',
    )
}
