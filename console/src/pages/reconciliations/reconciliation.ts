import type { Reconciliation as ReconciliationSchema } from '@countersign/contract/operation/reconciliations'
import type { Static } from 'typebox'
import type { Amount } from '../../ui/money.tsx'

export type Reconciliation = Static<typeof ReconciliationSchema>

/** An amount of a reconciliation, which has one currency for all of them. */
export function inCurrencyOf({ currency }: Reconciliation, amount: bigint | undefined): Amount | undefined {
  return amount === undefined ? undefined : { amount, currency }
}
