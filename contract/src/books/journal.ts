import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { keysOf } from '../core/objects.ts'
import { OneOfWords, Timestamp } from '../core/schema.ts'

/** The journal's formats, and the program that reads each. */
export const JOURNAL_FORMATS = {
  csv: 'a spreadsheet: two rows for each transfer, with the columns below',
  hledger: 'hledger and ledger: a journal file',
  beancount: 'beancount: a file with `open` directives',
  xero: 'Xero: an import file of manual journals, one journal a day in one currency',
  quickbooks: 'QuickBooks Online: an import file of journal entries, one entry for each day and currency',
} as const

export type JournalFormat = keyof typeof JOURNAL_FORMATS

/** The columns of the journal's CSV file in order, with their content. */
export const JOURNAL_COLUMNS = {
  at: 'the time at which it was posted, ISO 8601, in UTC',
  transferId: 'the transfer of the ledger; its two rows have equal amounts',
  side: '`DEBIT` or `CREDIT`',
  accountCode: 'code of the account in your chart; empty if the chart does not have it',
  accountName: 'its name in your chart, or a name derived from its kind',
  accountType: '`ASSET`, `LIABILITY`, `EQUITY`, `INCOME` or `EXPENSE`',
  kind: 'kind of the ledger account',
  rail: 'the rail, if the kind is `RAIL`',
  currency: 'currency of the transfer',
  units: 'the amount in the smallest unit; negative for a credit',
  debit: 'the amount as a decimal, if the row is a debit',
  credit: 'the amount as a decimal, if the row is a credit',
  ledgerAccountId: 'the account of the ledger',
  causeType: 'the kind of record that caused the transfer',
  cause: 'the id of that record',
} as const

export type JournalColumn = keyof typeof JOURNAL_COLUMNS

export const journal_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/ledger/journal',
  tag: 'Books',
  summary: 'Export the journal of a period',
  description:
    'Exports every transfer posted at or after `from` and before `to`, for a spreadsheet or an ' +
    'accounting program, as one stream of any length, ordered by day. Accounts have the codes and names ' +
    'of your chart of accounts. If the download breaks off, the file is incomplete. xero needs ' +
    '`currency`; xero and quickbooks need a chart that has every account; otherwise 409 ' +
    '`CHART_OF_ACCOUNTS_INCOMPLETE` lists the missing ones.',
  query: Type.Object({
    from: Timestamp('Start of the period, inclusive'),
    to: Timestamp('End of the period, exclusive'),
    format: Type.Optional(OneOfWords(keysOf(JOURNAL_FORMATS), 'Default: csv')),
    currency: Type.Optional(CurrencyCode),
  }),
  responses: { 200: null },
  texts: ['csv', 'plain'],
  errors: ['INVALID_INPUT', 'CHART_OF_ACCOUNTS_INCOMPLETE'],
})

export const journal = { journal_get }
