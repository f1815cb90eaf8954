import type { transaction_get, transaction_list } from '@countersign/contract/transactions'
import type { Handler } from '../operation.ts'
import { page } from '../paging.ts'
import { selectTransactions } from './store.ts'
import { findTransaction, transactionView } from './transactions.ts'

export const transactionList: Handler<typeof transaction_list> = async (op, { query }) => ({
  status: 200,
  body: await page(op, query, {
    rows: selectTransactions(op, query),
    table: 'transactions',
    order: query.sortOrder ?? 'desc',
    view: (rows) => rows.map((row) => transactionView(row, row)),
  }),
})

export const transactionGet: Handler<typeof transaction_get> = async (op, { params }) => {
  const row = await findTransaction(op, params.transactionId)
  return { status: 200, body: transactionView(row, row) }
}
