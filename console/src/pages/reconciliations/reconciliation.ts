import type { Reconciliation as ReconciliationSchema } from '@countersign/contract/operation/reconciliations'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import type { Amount } from '../../ui/money.tsx'
import { usePagedList } from '../../ui/use-listed.ts'

export type Reconciliation = Static<typeof ReconciliationSchema>

/**
 * Loads the ids of the unreconciled days, in list order. Reloads them when the status of the displayed day
 * changes.
 */
export function useDifferingDays({ id, status }: Pick<Reconciliation, 'id' | 'status'>): string[] {
  const { rows } = usePagedList(['reconciliations', 'differing', id, status], (page) =>
    countersign.reconciliations.list({ status: 'DIFFERENT', ...page }),
  )
  return rows.map(({ id }) => id)
}

/** Adds the currency to an amount of a reconciliation, in which all amounts have the same currency. */
export function withCurrency({ currency }: Reconciliation, amount: bigint | undefined): Amount | undefined {
  return amount === undefined ? undefined : { amount, currency }
}
