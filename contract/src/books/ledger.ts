import { Type } from 'typebox'
import { Currency, CurrencyAmount } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id, IdOfAny, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { NamedPage, namesQuery } from '../core/record-names.ts'
import { Int64, OneOfWords, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'

export const NORMAL_SIDES = ['debit', 'credit'] as const
export const LEDGER_TRANSFER_STATES = ['pending', 'posted', 'voided'] as const

const ledgerAccountId = (description: string) => IdOfAny(['InternalAccount', 'LedgerAccount'], description)

const asOf = Type.Optional(Timestamp('The balances at this time: everything posted before it. Default: now'))

/**
 * A ledger account: an internal account, identified by its id, or one of the platform's own accounts,
 * identified by a name.
 */
export const LedgerAccount = Type.Object({
  id: ledgerAccountId('An internal account, or an account that exists only in the ledger'),
  name: Type.Optional(
    Text(128, { description: 'The purpose of an account of the platform, such as `rail`, `fx`, `fees`' }),
  ),
  owner: IdOfAny(['Customer', 'Platform']),
  currency: Currency,
  normalSide: OneOfWords(NORMAL_SIDES, 'The side on which the balances are positive'),
  posted: Int64({ description: 'The total of all posted transfers, in the smallest unit' }),
  held: Int64({ minimum: 0, description: 'The part of it held by pending transfers' }),
  isClosed: Type.Boolean({ description: 'Permanently closed, like the accounts of a deleted customer' }),
})

/** The cause of a transfer: the kind of record and its id. */
export const LedgerCause = Type.Object({
  type: Text(64, { description: 'The kind of record: `transaction`, `quote`, `card_transaction`, …' }),
  id: Text(96),
})

const Side = Type.Object({
  accountId: ledgerAccountId('An internal account, or an account that exists only in the ledger'),
  name: Type.Optional(Text(128, { description: "The name of one of the platform's own accounts" })),
})

/** A ledger transfer, which debits one account and credits another with the same amount. */
export const LedgerTransfer = Type.Object({
  id: Id('LedgerTransfer'),
  state: OneOfWords(
    LEDGER_TRANSFER_STATES,
    'A pending transfer holds its amount on the debited account. It is posted or voided once',
  ),
  debit: Side,
  credit: Side,
  amount: CurrencyAmount,
  cause: LedgerCause,
  createdAt: Timestamp(),
  endedAt: Type.Optional(Timestamp('The time at which it was posted or voided, from which it counts')),
})

export const ledger_account_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/ledger/accounts',
  tag: 'Books',
  summary: 'List ledger accounts',
  description:
    "Lists the accounts of the double-entry ledger: internal accounts and the platform's own. In each " +
    'currency, debit accounts and credit accounts have the same total posted balance. Ordered by id.',
  query: Type.Object({
    name: Type.Optional(Text(128, { description: "The name of one of the platform's own accounts" })),
    currency: Type.Optional(CurrencyCode),
    owner: Type.Optional(IdOfAny(['Customer', 'Platform'])),
    asOf,
    ...namesQuery,
    ...pageQuery,
  }),
  responses: { 200: NamedPage(LedgerAccount) },
  errors: ['INVALID_INPUT'],
})

export const ledger_account_csv = fileOfList(ledger_account_list, 'ledger accounts')

export const ledger_account_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/ledger/accounts/{ledgerAccountId}',
  tag: 'Books',
  summary: 'Read the balance of an account, now or at any time in the past',
  description:
    'Shows the posted and held balances of one ledger account, now or, with asOf, at any time in the ' +
    'past.',
  params: Type.Object({ ledgerAccountId: PathId }),
  query: Type.Object({ asOf }),
  responses: { 200: LedgerAccount },
  errors: ['INVALID_INPUT', 'ACCOUNT_NOT_FOUND'],
})

export const ledger_transfer_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/ledger/transfers',
  tag: 'Books',
  summary: 'List ledger transfers',
  description:
    'Lists the bookings behind a payment or a balance, each with entries that sum to zero, by ' +
    'cause, by account, or both: one of them is required. A transaction includes the bookings of its ' +
    'quote, and a quote the bookings of its transaction. Ordered by time of creation.',
  query: Type.Object({
    cause: Type.Optional(
      Text(96, { description: 'The id of a transaction, a quote, a card purchase or another cause' }),
    ),
    accountId: Type.Optional(ledgerAccountId('The debited or credited account')),
    startDate: Type.Optional(Timestamp('Created at or after')),
    endDate: Type.Optional(Timestamp('Created at or before')),
    ...pageQuery,
    sortOrder: Type.Optional(
      Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
    ),
  }),
  responses: { 200: Page(LedgerTransfer) },
  errors: ['INVALID_INPUT'],
})

export const ledger_transfer_csv = fileOfList(ledger_transfer_list, 'ledger transfers')
