import { Type } from 'typebox'
import { Currency } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { CalendarDate } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { keysOf } from '../core/objects.ts'
import { Int64, OneOfWords, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { DIFFERENCES } from './reconciliations.ts'

/** Ledger reasons why rails hold more or less than the amount owed to customers. */
export const LEDGER_REASONS = {
  PAYMENTS_IN_PROGRESS: "It has left the payers' accounts and not yet reached the payees",
  REFUNDS_IN_PROGRESS: 'It is on its way back to payers whose payments failed',
  UNASSIGNED_DEPOSITS: 'It has arrived, and its owner is unknown or undecided',
  PLATFORM_MONEY: "The balance of your platform's accounts",
  FEES_EARNED: 'Fees that customers have paid and that are still at the rails',
  CONVERSIONS: 'Bought by conversions, or sold if negative',
  RECEIVABLES: 'Paid out before it was collected',
  RAIL_COSTS: 'Charged by rails',
} as const

/** All reasons: those in the ledger, and open differences between the ledger and the rails' statements. */
export const CLIENT_MONEY_REASONS = { ...LEDGER_REASONS, ...DIFFERENCES } as const

export type ClientMoneyReason = keyof typeof CLIENT_MONEY_REASONS

export const ClientMoneyDifference = Type.Object({
  reason: OneOfWords(keysOf(CLIENT_MONEY_REASONS)),
  amount: Int64({ description: 'The amount by which it raises the holdings of rails above the amount owed' }),
  rail: Type.Optional(Text(45, { description: 'The rail whose statement differs from the ledger' })),
})

export const ClientMoneyRail = Type.Object({
  rail: Text(128, { description: "The rail's name; `rail` in the sandbox" }),
  ledgerBalance: Int64({ description: 'The balance of the rail according to the ledger' }),
  held: Int64({ description: 'The ledger balance plus the open differences of its latest statement' }),
  statement: Type.Optional(
    Type.Object({
      date: CalendarDate,
      closingBalance: Int64(),
      difference: Int64({
        description: 'The closing balance less the ledger balance as of that statement',
      }),
    }),
  ),
})

export const ClientMoneyCurrency = Type.Object({
  currency: Currency,
  owed: Int64({ description: 'The amount owed to customers: the balances of all their accounts' }),
  onHold: Int64({ minimum: 0, description: 'The part of it that payments in progress hold' }),
  held: Int64({ description: 'The holdings of all rails' }),
  difference: Int64({ description: '`held` less `owed`: the sum of all reasons' }),
  reasons: Type.Array(ClientMoneyDifference),
  rails: Type.Array(ClientMoneyRail),
})

/** The money owed to customers and the money held by rails at the end of a day, signed by the server. */
export const ClientMoneyReport = Type.Object({
  id: Id('ClientMoneyReport'),
  date: CalendarDate,
  asOf: Timestamp('The end of the day, in UTC. Everything posted before it counts'),
  currencies: Type.Array(ClientMoneyCurrency, { description: 'Amounts are in the smallest unit' }),
  payload: Type.String({ description: 'The exact text that is signed' }),
  signature: Text(512, {
    description:
      'The signature of the payload by `enclaveQuorumPublic` of `/.well-known/countersign.json`: ECDSA, P-256, SHA-256, DER, in base64',
  }),
  createdAt: Timestamp(),
})

const reportPath = Type.Object({ clientMoneyReportId: PathId })

export const client_money_report_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/client-money-reports',
  tag: 'Books',
  summary: 'List client-money reports',
  description:
    "Lists the daily reports on customers' money, newest first. Each day's report is created after the " +
    'end of the day, in UTC.',
  query: Type.Object({
    startDate: Type.Optional(CalendarDate),
    endDate: Type.Optional(CalendarDate),
    ...pageQuery,
  }),
  responses: { 200: Page(ClientMoneyReport) },
  errors: ['INVALID_INPUT'],
})

export const client_money_report_csv = fileOfList(client_money_report_list, 'client-money reports')

export const client_money_report_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/client-money-reports/{clientMoneyReportId}',
  tag: 'Books',
  summary: 'Read a client-money report',
  description:
    'Shows the amount owed to customers and the holdings of rails at the end of a day, by currency, with the reasons for the difference.',
  params: reportPath,
  responses: { 200: ClientMoneyReport },
  errors: ['CLIENT_MONEY_REPORT_NOT_FOUND'],
})

export const client_money_report_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/client-money-reports',
  tag: 'Books',
  summary: 'Create a client-money report now',
  description:
    'Creates the report for a day that has ended, without waiting for the server to create it. A day has ' +
    'one report: if it already exists, it is returned with 200.',
  body: Type.Object({ date: CalendarDate }),
  responses: { 200: ClientMoneyReport, 201: ClientMoneyReport },
  errors: ['INVALID_INPUT'],
})

export const ClientMoneyVerification = Type.Object({
  isSigned: Type.Boolean({
    description: 'True if this server signed the payload, and the record equals the payload',
  }),
  isLedgerUnchanged: Type.Boolean({
    description: 'True if the ledger still has the same balances at the end of that day',
  }),
})

export const client_money_report_verify = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/client-money-reports/{clientMoneyReportId}/verification',
  tag: 'Books',
  summary: 'Verify a client-money report',
  description:
    'Checks the signature of a report, and recomputes the balances of that time from the ledger. An older report takes ' +
    'longer, because all later transfers are read.',
  params: reportPath,
  responses: { 200: ClientMoneyVerification },
  errors: ['CLIENT_MONEY_REPORT_NOT_FOUND'],
})

export const clientMoney = {
  client_money_report_list,
  client_money_report_csv,
  client_money_report_get,
  client_money_report_create,
  client_money_report_verify,
}
