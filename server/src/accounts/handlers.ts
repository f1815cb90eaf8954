import type {
  customer_internal_account_list,
  platform_internal_account_list,
} from '@countersign/contract/accounts/internal-accounts'
import type { Handler } from '../op/operation.ts'
import { page } from '../op/paging.ts'
import { internalAccountViews } from './accounts.ts'
import { selectCustomerAccounts, selectPlatformAccounts } from './store.ts'

export const customerInternalAccountList: Handler<typeof customer_internal_account_list> = async (
  op,
  { query },
) => ({
  status: 200,
  body: await page(op, query, {
    rows: selectCustomerAccounts(op, query),
    table: 'internal_accounts',
    view: (rows) => internalAccountViews(op, rows),
  }),
})

export const platformInternalAccountList: Handler<typeof platform_internal_account_list> = async (
  op,
  { query },
) => ({
  status: 200,
  body: { data: await internalAccountViews(op, await selectPlatformAccounts(op, query)) },
})
