import type { internalAccounts } from '@countersign/contract/accounts/internal-accounts'
import type { Handlers } from '../operation/operation.ts'
import { listPage } from '../operation/paging.ts'
import { toInternalAccountViews } from './accounts.ts'
import { selectPlatformAccounts, selectSeenAccounts } from './store.ts'

export const internalAccountHandlers: Handlers<typeof internalAccounts> = {
  customer_internal_account_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectSeenAccounts(op, query),
      table: 'internal_accounts',
      view: (rows) => toInternalAccountViews(op, rows),
    }),
  }),

  platform_internal_account_list: async (op, { query }) => ({
    status: 200,
    body: { data: await toInternalAccountViews(op, await selectPlatformAccounts(op, query)) },
  }),
}
