import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import { parseOptionalTime } from '../../kernel/operation/time-range.ts'
import { lookupByKey } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { LedgerTransferRow } from '../../storage/rows/ledger.ts'
import { TRANSFER_TRANSITIONS } from '../../storage/rows/states.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'

export interface FeeFilters {
  readonly startDate?: string
  readonly endDate?: string
}

/** One side of a transfer on a fees account. Its id is the transfer's. */
export type FeeRow = Pick<
  LedgerTransferRow,
  'id' | 'amount' | 'currency' | 'cause' | 'cause_id' | 'created_at'
>

/** Credits and debits of an account as two queries, so that each can follow an index. */
export function selectEntries(op: Op, accountId: string, filters: FeeFilters) {
  return [
    selectPosted(op, filters).select('amount').where('credit_account_id', '=', accountId),
    selectPosted(op, filters)
      .select(sql<bigint>`- amount`.as('amount'))
      .where('debit_account_id', '=', accountId),
  ]
}

function selectPosted(op: Op, { startDate, endDate }: FeeFilters) {
  return op.read
    .selectFrom('ledger_transfers')
    .select(['id', 'currency', 'cause', 'cause_id', 'created_at'])
    .where('state', '=', TRANSFER_TRANSITIONS.pending.post)
    .$call((q) => whereIfDefined(q, 'created_at', '>=', parseOptionalTime(startDate)))
    .$call((q) => whereIfDefined(q, 'created_at', '<=', parseOptionalTime(endDate)))
}

/** A transfer's id and its quote. */
export type TransferQuote = Pick<LedgerTransferRow, 'id' | 'platform_id'> &
  Pick<QuoteRow, 'transaction_id' | 'customer_id'> & { readonly quote_id: string }

// OFFSET 0 stops the planner from reordering the join, so that rows are always looked up by id.
const QUOTE_BY_TRANSFER = lookupByKey<TransferQuote>(
  `SELECT t.id, t.platform_id, q.id AS quote_id, q.transaction_id, q.customer_id
   FROM ledger_transfers t
   CROSS JOIN LATERAL (SELECT id, transaction_id, customer_id FROM quotes WHERE id = t.cause_id OFFSET 0) q
   WHERE t.id = ANY ($1::uuid[])`,
  'id',
)

export async function selectQuoteByTransfer(op: Op, id: string): Promise<TransferQuote | undefined> {
  return op.find(QUOTE_BY_TRANSFER, id)
}
