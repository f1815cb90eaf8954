import type { fees } from '@countersign/contract/payments/fees'
import type { Handlers } from '../op/operation.ts'
import { page } from '../op/paging.ts'
import { money } from '../transactions/transactions.ts'
import { feeView, findFeeAccounts } from './fees.ts'
import { selectEntries } from './store.ts'

export const feeHandlers: Handlers<typeof fees> = {
  platform_fee_list: async (op, { query }) => {
    const accounts = await findFeeAccounts(op, query.currency)
    return {
      status: 200,
      body: await page(op, query, {
        rows: accounts.flatMap(({ id }) => selectEntries(op, id, query)),
        table: 'ledger_transfers',
        order: query.sortOrder ?? 'desc',
        view: (rows) => Promise.all(rows.map((row) => feeView(op, row))),
      }),
    }
  },

  platform_fee_balance_list: async (op, { query }) => {
    const accounts = await findFeeAccounts(op, query.currency)
    return {
      status: 200,
      body: { data: accounts.map(({ posted, currency }) => ({ balance: money(posted, currency) })) },
    }
  },
}
