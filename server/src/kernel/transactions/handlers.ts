import type { transactions } from '@countersign/contract/payments/transactions'
import { update } from '../../storage/commit/writes.ts'
import { withNames } from '../accounts/names.ts'
import { checkAmountRange } from '../operation/amount-range.ts'
import { createFieldError, type Handlers } from '../operation/operation.ts'
import { listPage, readRowPages } from '../operation/paging.ts'
import { transactionsCsv } from './csv.ts'
import { selectTransactions, type TransactionFilters } from './store.ts'
import { findTransaction, toCallerView, toTransactionView } from './transactions.ts'

export const transactionHandlers: Handlers<typeof transactions> = {
  transaction_list: async (op, { query }) => ({
    status: 200,
    body: await withNames(
      op,
      query,
      await listPage(op, query, {
        rows: await selectTransactions(op, checkFilters(query)),
        table: 'transactions',
        order: query.sortOrder ?? 'desc',
        view: (rows) => rows.map((row) => toCallerView(op, row)),
      }),
      listAccountIds,
    ),
  }),

  transaction_csv: async (op, { query }) => {
    const pages = readRowPages(op, {
      rows: await selectTransactions(op, checkFilters(query)),
      table: 'transactions',
      order: query.sortOrder ?? 'desc',
    })
    return {
      status: 200,
      text: { type: 'csv', fileName: 'transactions.csv', pieces: transactionsCsv(pages) },
    }
  },

  transaction_get: async (op, { params }) => {
    const row = await findTransaction(op, params.transactionId)
    return { status: 200, body: toCallerView(op, row) }
  },

  /** Only the first confirmation counts (specification 2.11, `receiptDeliveryConfirmedAt`). */
  transaction_confirm: async (op, { params, body }) => {
    const row = await findTransaction(op, params.transactionId)
    const field = 'receiptDeliveryConfirmedAt'
    const confirmedAt = body?.[field] === undefined ? op.now : new Date(body[field])
    if (confirmedAt > op.now)
      throw createFieldError('INVALID_INPUT', field, `${field} must not be in the future`)
    if (row.receipt_delivery_confirmed_at !== null) return { status: 200, body: toTransactionView(row, row) }
    const change = { receipt_delivery_confirmed_at: confirmedAt, updated_at: op.now }
    return {
      status: 200,
      body: toTransactionView({ ...row, ...change }, row),
      writes: [update('transactions', row.id, { receipt_delivery_confirmed_at: null }, change)],
    }
  },
}

/** Throws 400 `INVALID_INPUT` if an amount is bounded but no currency is given. */
function checkFilters<Filters extends TransactionFilters>(filters: Filters): Filters {
  checkAmountRange(filters)
  return filters
}

type Side = { readonly accountId?: string }

function listAccountIds(view: {
  readonly customerId: string
  readonly source?: Side | object
  readonly destination: Side | object
}): readonly (string | undefined)[] {
  return [view.customerId, getAccountId(view.source), getAccountId(view.destination)]
}

function getAccountId(side: Side | object | undefined): string | undefined {
  return side && 'accountId' in side ? side.accountId : undefined
}
