import { Type } from 'typebox'
import { endpoint, KIB } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { keysOf } from '../core/objects.ts'
import { OneOfWords, Pattern, Text, Timestamp } from '../core/schema.ts'

/** Kinds of ledger accounts, with the type that each has if there is no chart. */
export const CHART_KINDS = {
  CUSTOMERS: 'LIABILITY',
  PLATFORM: 'EQUITY',
  RAIL: 'ASSET',
  FX: 'EQUITY',
  FEES: 'INCOME',
  CLEARING: 'LIABILITY',
  REFUNDS: 'LIABILITY',
  RECEIVABLES: 'ASSET',
  SUSPENSE: 'LIABILITY',
  COSTS: 'EXPENSE',
} as const

export type ChartKind = keyof typeof CHART_KINDS

export const CHART_ACCOUNT_TYPES = ['ASSET', 'LIABILITY', 'EQUITY', 'INCOME', 'EXPENSE'] as const

export type ChartAccountType = (typeof CHART_ACCOUNT_TYPES)[number]

export const JOURNAL_DATE_FORMATS = ['YYYY-MM-DD', 'DD/MM/YYYY', 'MM/DD/YYYY'] as const

export type JournalDateFormat = (typeof JOURNAL_DATE_FORMATS)[number]

export const ChartEntry = Type.Object({
  kind: OneOfWords(
    keysOf(CHART_KINDS),
    'CUSTOMERS: all accounts of customers. PLATFORM: your own accounts. The others are the ledger accounts of that name',
  ),
  rail: Type.Optional(Text(40, { description: 'Only for RAIL: the account at this rail' })),
  currency: Type.Optional(CurrencyCode),
  code: Pattern('^[A-Z0-9][A-Za-z0-9]{0,9}$', {
    patternText: '1 to 10 letters and digits, beginning with a capital letter or a digit',
    maxLength: 10,
    description: "The account's code in your chart",
  }),
  name: Pattern('^[A-Za-z0-9](?:[ ]?[A-Za-z0-9.,&()/_-])*$', {
    patternText: 'letters, digits, single spaces and .,&()/_-, beginning with a letter or a digit',
    maxLength: 64,
    description: "The account's name in your chart",
  }),
  type: OneOfWords(CHART_ACCOUNT_TYPES),
})

const settings = {
  accounts: Type.Array(ChartEntry, {
    maxItems: 200,
    description:
      'Maps each kind of ledger account, in all currencies or one, to an account in your chart. The most ' +
      'specific entry applies: by rail and currency, then by rail, then by currency, then by kind. ' +
      'Several entries may have the same code, name and type',
  }),
  dateFormat: Type.Optional(
    OneOfWords(JOURNAL_DATE_FORMATS, 'Dates in files for Xero and QuickBooks. Default: YYYY-MM-DD'),
  ),
  taxRate: Type.Optional(
    Text(50, { description: 'Name of the tax rate in journal lines for Xero. Default: Tax Exempt' }),
  ),
}

export const ChartOfAccounts = Type.Object({
  ...settings,
  updatedAt: Type.Optional(Timestamp('Absent until it is set')),
})

const path = '/ledger/chart-of-accounts'

export const chart_of_accounts_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path,
  tag: 'Books',
  summary: 'Read the chart of accounts',
  description: 'Shows which account of your chart the journal uses for each kind of ledger account.',
  responses: { 200: ChartOfAccounts },
  errors: [],
})

export const chart_of_accounts_replace = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'PUT',
  path,
  tag: 'Books',
  summary: 'Set the chart of accounts',
  description:
    'Replaces the whole mapping of ledger accounts to your chart of accounts. It affects only later ' +
    'exports of the journal, not the ledger.',
  body: Type.Object(settings),
  bodyBytesMax: 64 * KIB,
  responses: { 200: ChartOfAccounts },
  errors: ['INVALID_INPUT'],
})

export const chartOfAccounts = { chart_of_accounts_get, chart_of_accounts_replace }
