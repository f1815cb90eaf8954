import type { ledgerBooks } from '@countersign/contract/books/ledger-books'
import { withNames } from '../../kernel/accounts/names.ts'
import { ApiError, createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage, type Order } from '../../kernel/operation/paging.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import type { LedgerTransferRow } from '../../storage/rows/ledger.ts'
import { explain } from './explain.ts'
import { findCauses, toLedgerAccountViews, toLedgerTransferView } from './ledger-views.ts'
import {
  type ListedAccount,
  selectLedgerAccount,
  selectLedgerAccounts,
  selectTransfer,
  selectTransfers,
} from './store.ts'

/** Follows the index on a platform's ledger accounts. */
const BY_ID: Order<ListedAccount> = {
  columns: ['platform_id', 'id'],
  getPosition: ({ platform_id, id }) => [platform_id, id],
  read: (platformId, id) => [extractUuid(platformId), extractUuid(id)],
}

export const ledgerBookHandlers: Handlers<typeof ledgerBooks> = {
  ledger_account_list: async (op, { query }) => ({
    status: 200,
    body: await withNames(
      op,
      query,
      await listPage(op, query, {
        rows: selectLedgerAccounts(op, query),
        table: 'ledger_accounts',
        by: BY_ID,
        order: 'asc',
        view: (rows) => toLedgerAccountViews(op, rows, query.asOf),
      }),
      ({ owner }) => [owner],
    ),
  }),

  ledger_account_get: async (op, { params, query }) => {
    const account = await selectLedgerAccount(op, params.ledgerAccountId)
    if (!account) throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field: 'ledgerAccountId' } })
    const [view] = await toLedgerAccountViews(op, [account], query.asOf)
    return { status: 200, body: view! }
  },

  ledger_transfer_list: async (op, { query }) => {
    const { cause, accountId } = query
    if (cause === undefined && accountId === undefined)
      throw createFieldError('INVALID_INPUT', 'cause', 'Set cause, accountId or both.')
    const causes = cause === undefined ? undefined : await findCauses(op, cause)
    return {
      status: 200,
      body: await listPage(op, query, {
        rows: selectTransfers(op, causes, query),
        table: 'ledger_transfers',
        order: query.sortOrder ?? 'desc',
        view: (rows: LedgerTransferRow[]) => Promise.all(rows.map((row) => toLedgerTransferView(op, row))),
      }),
    }
  },

  ledger_transfer_explain: async (op, { params }) => {
    const transfer = await selectTransfer(op, params.ledgerTransferId)
    if (!transfer) throw new ApiError('LEDGER_TRANSFER_NOT_FOUND', { details: { field: 'ledgerTransferId' } })
    return {
      status: 200,
      body: { transfer: await toLedgerTransferView(op, transfer), steps: await explain(op, transfer) },
    }
  },
}
