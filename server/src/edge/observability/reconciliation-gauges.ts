import { DIFFERENCE_REASONS } from '@countersign/contract/operation/reconciliations'
import { Gauge, type Registry } from 'prom-client'
import type { LatestReconciliation } from './store.ts'

/**
 * Creates gauges of each rail's latest reconciliation. Returns a function that sets them, or removes them if
 * the database is unavailable. The operator's file bounds the number of rails.
 */
export function createReconciliationGauges(
  registry: Registry,
): (latest: readonly LatestReconciliation[] | undefined) => void {
  const registers = [registry]
  const differences = new Gauge({
    name: 'countersign_reconciliation_differences',
    help: "Differences between a rail's latest statement and the ledger, by reason.",
    labelNames: ['rail', 'currency', 'reason'],
    registers,
  })
  const age = new Gauge({
    name: 'countersign_reconciliation_statement_age_seconds',
    help: "Time since a rail's latest statement arrived.",
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
