import { DIFFERENCE_REASONS } from '@countersign/contract/operation/reconciliations'
import { Gauge, type Registry } from 'prom-client'
import type { LatestReconciliation } from './store.ts'

/**
 * Gauges of the latest reconciliation of each rail. Returns a function that sets them, and removes them if
 * the database is unavailable. The number of rails is bounded, because they come from the operator's file.
 */
export function createReconciliationGauges(
  registry: Registry,
): (latest: readonly LatestReconciliation[] | undefined) => void {
  const registers = [registry]
  const differences = new Gauge({
    name: 'countersign_reconciliation_differences',
    help: 'Differences between the latest statement of a rail and the ledger, by reason.',
    labelNames: ['rail', 'currency', 'reason'],
    registers,
  })
  const age = new Gauge({
    name: 'countersign_reconciliation_statement_age_seconds',
    help: 'Time since the latest statement of a rail arrived.',
    labelNames: ['rail', 'currency'],
    registers,
  })
  return (latest) => {
    differences.reset()
    age.reset()
    for (const { rail, currency, ageSeconds, differences: found } of latest ?? []) {
      age.set({ rail, currency }, ageSeconds)
      for (const reason of DIFFERENCE_REASONS) differences.set({ rail, currency, reason }, found[reason] ?? 0)
    }
  }
}
