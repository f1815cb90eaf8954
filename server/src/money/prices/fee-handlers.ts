import type { fees } from '@countersign/contract/payments/fees'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { toMoney } from '../../kernel/transactions/transactions.ts'
import { selectEntries } from './fee-store.ts'
import { findFeeAccounts, toFeeView } from './fees.ts'

export const feeHandlers: Handlers<typeof fees> = {
  platform_fee_list: async (op, { query }) => {
    const accounts = await findFeeAccounts(op, query.currency)
    return {
      status: 200,
      body: await listPage(op, query, {
        rows: accounts.flatMap(({ id }) => selectEntries(op, id, query)),
        table: 'ledger_transfers',
        order: query.sortOrder ?? 'desc',
        view: (rows) => Promise.all(rows.map((row) => toFeeView(op, row))),
      }),
    }
  },

  platform_fee_balance_list: async (op, { query }) => {
    const accounts = await findFeeAccounts(op, query.currency)
    return {
      status: 200,
      body: { data: accounts.map(({ posted, currency }) => ({ balance: toMoney(posted, currency) })) },
    }
  },
}
