import type { ReconciliationWithDifferences } from '@countersign/contract/operation/reconciliations'
import type { Static } from 'typebox'

export type Day = Static<typeof ReconciliationWithDifferences>

/** Differences of a day that have been selected for a match. */
export interface Selection {
  readonly rail: string
  readonly currency: Day['currency']
  readonly statementEntryIds: string[]
  readonly paymentIds: string[]
  /** The bank's amount minus the books', in the smallest unit. */
  readonly difference: bigint
}

/** True for the id of a line or a payment. False for a match and for a whole statement. */
export function isMatchable(about: string | undefined): about is string {
  return about !== undefined && !about.startsWith('ReconciliationMatch:')
}

/** Selects the differences with these ids and sums them. */
export function buildSelection({ rail, currency, differences }: Day, ids: ReadonlySet<string>): Selection {
  const selected = differences.filter(({ about }) => isMatchable(about) && ids.has(about))
  const recordIds = selected.flatMap((difference) => difference.about ?? [])
  return {
    rail,
    currency,
    statementEntryIds: recordIds.filter(isLine),
    paymentIds: recordIds.filter((id) => !isLine(id)),
    difference: selected.reduce((sum, { amount }) => sum + amount, 0n),
  }
}

function isLine(id: string): boolean {
  return id.startsWith('StatementEntry:')
}
