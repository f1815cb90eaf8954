import { rowByKey } from '../db/read/lookup.ts'
import { whereGiven } from '../db/read/where-given.ts'
import type { LedgerTransferRow } from '../db/schema/ledger-tables.ts'
import type { QuoteRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'
import { timeIfGiven } from '../op/time-range.ts'

export interface FeeFilters {
  readonly startDate?: string
  readonly endDate?: string
}

/** A page of the ledger entries of an account. */
export function selectEntries(op: Op, accountId: string, { startDate, endDate }: FeeFilters) {
  return op.read
    .selectFrom('ledger_entries')
    .selectAll()
    .select('transfer_id as id')
    .where('account_id', '=', accountId)
    .$call((q) => whereGiven(q, 'created_at', '>=', timeIfGiven(startDate)))
    .$call((q) => whereGiven(q, 'created_at', '<=', timeIfGiven(endDate)))
}

/** The quote of a transfer. */
export type QuoteOfTransfer = Pick<LedgerTransferRow, 'id' | 'platform_id'> &
  Pick<QuoteRow, 'transaction_id' | 'customer_id'> & { readonly quote_id: string }

// OFFSET 0 stops the planner from reordering the join, so rows are always read by id.
const QUOTE_BY_TRANSFER = rowByKey<QuoteOfTransfer>(
  `SELECT t.id, t.platform_id, q.id AS quote_id, q.transaction_id, q.customer_id
   FROM ledger_transfers t
   CROSS JOIN LATERAL (SELECT id, transaction_id, customer_id FROM quotes WHERE id = t.cause_id OFFSET 0) q
   WHERE t.id = ANY ($1::uuid[])`,
  'id',
)

export async function selectQuoteOfTransfer(op: Op, id: string): Promise<QuoteOfTransfer | undefined> {
  return op.find(QUOTE_BY_TRANSFER, id)
}
