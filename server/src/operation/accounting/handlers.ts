import type { chartOfAccounts } from '@countersign/contract/books/chart-of-accounts'
import type { journal } from '@countersign/contract/books/journal'
import { present } from '@countersign/contract/core/objects'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { insert, update } from '../../storage/commit/writes.ts'
import type { ChartOfAccountsRow } from '../../storage/rows/accounting.ts'
import { checkChart } from './chart.ts'
import { buildJournalFile } from './journal.ts'
import { selectChart } from './store.ts'

export const accountingHandlers: Handlers<typeof journal & typeof chartOfAccounts> = {
  journal_get: async (op, { query }) => ({ status: 200, text: await buildJournalFile(op, query) }),

  chart_of_accounts_get: async (op) => {
    const row = await selectChart(op)
    return { status: 200, body: row ? toChartView(row) : { accounts: [] } }
  },

  chart_of_accounts_replace: async (op, { body }) => {
    checkChart(body.accounts)
    const before = await selectChart(op)
    const change = {
      accounts: body.accounts,
      date_format: body.dateFormat ?? null,
      tax_rate: body.taxRate ?? null,
      version: (before?.version ?? 0) + 1,
      updated_at: op.now,
    }
    const { id } = op.platform
    const row = { id, platform_id: id, created_at: before?.created_at ?? op.now, ...change }
    const write = before
      ? update('charts_of_accounts', id, { version: before.version }, change)
      : insert('charts_of_accounts', row)
    return { status: 200, body: toChartView(row), writes: [write] }
  },
}

function toChartView({ accounts, date_format, tax_rate, updated_at }: ChartOfAccountsRow) {
  return {
    accounts,
    ...present({ dateFormat: date_format, taxRate: tax_rate }),
    updatedAt: updated_at.toISOString(),
  }
}
