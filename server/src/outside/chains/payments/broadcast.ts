import type { ChainTransactionRow } from '../../../storage/rows/chain.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { getMemory } from './memory.ts'
import { getLatestAttempt } from './transactions.ts'

const CONCURRENT_SENDS_MAX = 8

/**
 * Sends transactions to the nodes, ordered by nonce. The signed transactions are already committed, so
 * resending the same bytes is safe. Throws NodeError if it is unknown whether one was accepted; the remaining
 * ones are sent later.
 */
export async function broadcastTransactions(
  { rail, app }: ChainWorker,
  rows: readonly ChainTransactionRow[],
): Promise<void> {
  const memory = getMemory(rail)
  const { sentAt, contested, underpriced } = memory
  await runWithLimit(rows, CONCURRENT_SENDS_MAX, async (row) => {
    const outcome = await rail.nodes.send(getLatestAttempt(row).raw)
    sentAt.set(row.id, performance.now())
    if (outcome === 'nonce-used') {
      contested.add(row.id)
      memory.lastCheck = undefined
    }
    if (outcome === 'underpriced') underpriced.add(row.id)
    if (outcome === 'no-funds') {
      app.metrics.chainAlert(rail.name, 'gas')
      app.log.warn({ rail: rail.name, account: row.sender }, 'account balance too low for gas')
    }
  })
}

/** Runs tasks in order, a limited number at a time. After a failure, no further tasks are started. */
export async function runWithLimit<T, R>(
  items: readonly T[],
  limit: number,
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += limit) {
    const settled = await Promise.allSettled(items.slice(start, start + limit).map(run))
    for (const result of settled) {
      if (result.status === 'rejected') throw result.reason
      results.push(result.value)
    }
  }
  return results
}
