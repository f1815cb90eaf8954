import { toCurrencyRecord } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import type { Op } from '../../kernel/operation/app.ts'
import type { RailStatementRow } from '../../storage/rows/reconciliation.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** A rail's day as shown in lists and events. */
export function toReconciliationView(row: RailStatementRow) {
  const { opening, closing, entry_sum, entry_count, rail_reference, balance, later } = row
  const hasArrived = opening !== null && closing !== null && entry_sum !== null && entry_count !== null
  const statement =
    hasArrived && rail_reference !== null
      ? {
          id: rail_reference,
          openingBalance: opening,
          closingBalance: closing,
          entryCount: entry_count,
          entrySum: entry_sum,
          ...present({ charged: row.charged, expectedCosts: row.expected_costs }),
        }
      : undefined
  const isCompared = closing !== null && balance !== null && later !== null
  return {
    id: row.id,
    rail: row.rail,
    date: row.date,
    currency: toCurrencyRecord(row.currency),
    status: row.state,
    ...present({ statement }),
    ...(isCompared ? { ledger: { balance, later }, difference: closing - balance } : {}),
    differenceCount: row.difference_count,
    ...present({
      receivedAt: row.received_at?.toISOString(),
      reconciledAt: row.reconciled_at?.toISOString(),
    }),
    createdAt: row.created_at.toISOString(),
  }
}

/** A rail's day with its differences and the bank's text for each entry. */
export function toReconciliationWithDifferencesView(
  { now }: Pick<Op, 'now'>,
  row: RailStatementRow,
  texts: ReadonlyMap<string, string>,
) {
  return {
    ...toReconciliationView(row),
    differences: row.differences.map(({ reason, amount, since, about }) => ({
      reason,
      amount: BigInt(amount),
      since,
      ageDays: Math.max(0, Math.floor((now.getTime() - Date.parse(since)) / DAY_MS)),
      ...present({ about, text: about === undefined ? undefined : texts.get(about) }),
    })),
  }
}
