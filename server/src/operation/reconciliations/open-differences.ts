import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { RailStatementRow } from '../../storage/rows/reconciliation.ts'
import type { Difference } from './compare.ts'
import { compareDays } from './reconcile.ts'
import { selectLatest, selectStatement } from './store.ts'

/** Throws 404 `RECONCILIATION_NOT_FOUND`. */
export async function findReconciliation(op: Op, id: string): Promise<RailStatementRow> {
  const row = await selectStatement(op, id)
  if (!row) throw new ApiError('RECONCILIATION_NOT_FOUND', { details: { field: 'reconciliationId' } })
  return row
}

export interface OpenDifferences {
  readonly rail: string
  readonly currency: KnownCurrency
  readonly differences: readonly Difference[]
}

/** Compares the latest statement of a day's account and returns the current differences, oldest first. */
export async function openDifferences(op: Op, reconciliationId: string): Promise<OpenDifferences> {
  const { rail, currency } = await findReconciliation(op, reconciliationId)
  const latest = await selectLatest(op, rail, currency)
  const differences = latest ? (await compareDays(op, latest)).differences : []
  const oldestFirst = differences.toSorted((a, b) => a.since.getTime() - b.since.getTime())
  return { rail, currency, differences: oldestFirst }
}
