import type { clientMoney } from '@countersign/contract/operation/client-money'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage, type Order } from '../../kernel/operation/paging.ts'
import { insert } from '../../storage/commit/writes.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import type { ClientMoneyReportRow } from '../../storage/rows/accounting.ts'
import { checkDate, findReport, findReportByDate, newReport, reportView } from './reports.ts'
import { selectReports } from './store.ts'
import { verifyReport } from './verify.ts'

const BY_DATE: Order<ClientMoneyReportRow> = {
  columns: ['date', 'id'],
  getPosition: ({ date, id }) => [date, id],
  read: (date, id) => [date, extractUuid(id)],
}

export const clientMoneyHandlers: Handlers<typeof clientMoney> = {
  client_money_report_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectReports(op, query),
      table: 'client_money_reports',
      by: BY_DATE,
      view: (rows) => rows.map(reportView),
    }),
  }),

  client_money_report_get: async (op, { params }) => ({
    status: 200,
    body: reportView(await findReport(op, params.clientMoneyReportId)),
  }),

  client_money_report_create: async (op, { body }) => {
    checkDate(op, body.date)
    const before = await findReportByDate(op, body.date)
    if (before) return { status: 200, body: reportView(before) }
    const row = await newReport(op, body.date)
    return { status: 201, body: reportView(row), writes: [insert('client_money_reports', row)] }
  },

  client_money_report_verify: async (op, { params }) => ({
    status: 200,
    body: await verifyReport(op, await findReport(op, params.clientMoneyReportId)),
  }),
}
