import type { Reconciliation as ReconciliationSchema } from '@countersign/contract/operation/reconciliations'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import type { Amount } from '../../ui/money.tsx'
import { useListed } from '../../ui/use-listed.ts'

export type Reconciliation = Static<typeof ReconciliationSchema>

/** The ids of the days that differ, in the order of their list. Read again once the status of the shown day changes. */
export function useDifferingDays({ id, status }: Pick<Reconciliation, 'id' | 'status'>): string[] {
  const { rows } = useListed(['reconciliations', 'differing', id, status], (page) =>
    countersign.reconciliations.list({ status: 'DIFFERENT', ...page }),
  )
  return rows.map(({ id }) => id)
}

/** An amount of a reconciliation, which has one currency for all of them. */
export function inCurrencyOf({ currency }: Reconciliation, amount: bigint | undefined): Amount | undefined {
  return amount === undefined ? undefined : { amount, currency }
}
