import type { reconciliations } from '@countersign/contract/operation/reconciliations'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import type { RailStatementRow } from '../../storage/rows/reconciliation.ts'
import { findReconciliation } from './open-differences.ts'
import { selectStatements, selectTexts } from './store.ts'
import { toReconciliationView, toReconciliationWithDifferencesView } from './views.ts'

export const reconciliationHandlers: Handlers<typeof reconciliations> = {
  reconciliation_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectStatements(op, query),
      table: 'rail_statements',
      view: (rows) => rows.map(toReconciliationView),
    }),
  }),

  reconciliation_get: async (op, { params }) => {
    const row = await findReconciliation(op, params.reconciliationId)
    return { status: 200, body: await withDifferences(op, row) }
  },
}

/** A rail's day in its API form, with its differences and the bank's text for each entry. */
export async function withDifferences(op: Op, row: RailStatementRow) {
  const entries = row.differences.flatMap(({ about }) =>
    about?.startsWith('StatementEntry:') ? [about] : [],
  )
  return toReconciliationWithDifferencesView(op, row, await selectTexts(op, entries))
}
