import { Type } from 'typebox'
import { InternalAccountType } from '../accounts/internal-accounts.ts'
import { Currency } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { Id, IdOfAny } from '../core/ids.ts'
import { keysOf } from '../core/objects.ts'
import { Int64, OneOfWords, Text, Timestamp } from '../core/schema.ts'
import { LedgerCause } from './ledger.ts'

export const STATEMENT_LINE_KINDS = [
  'DEPOSIT',
  'PAYMENT_IN',
  'PAYMENT_OUT',
  'FEE',
  'REFUND',
  'FEE_REFUND',
  'CARD_PURCHASE',
  'CARD_REFUND',
  'OTHER',
] as const

export type StatementLineKind = (typeof STATEMENT_LINE_KINDS)[number]

/** Statement formats, and the program that reads each. */
export const STATEMENT_FORMATS = {
  json: 'programs',
  csv: 'spreadsheets',
  html: 'people: a page for reading and printing, or saving as PDF',
  camt053: 'accounting programs: camt.053.001.08 of ISO 20022',
  mt940: 'older accounting programs: MT940 of SWIFT',
  ofx: 'personal finance programs: OFX 2.2',
} as const

export type StatementFormat = keyof typeof STATEMENT_FORMATS

/** Maximum number of lines in a statement. */
export const STATEMENT_LINES_MAX = 10_000

/** The columns of a statement's CSV file in order, with their content. */
export const STATEMENT_COLUMNS = {
  at: 'the time at which it was posted, ISO 8601, in UTC',
  line: '`OPENING`, `MOVEMENT`, `CLOSING`, or `HOLD` for each amount that was held at the end',
  kind: 'the type of movement; a fee has a separate line',
  currency: 'currency of the account',
  units: 'the change of the balance, in the smallest unit; negative if money left the account',
  amount: 'the same amount as a decimal',
  balanceUnits: 'the balance after it, in the smallest unit',
  balance: 'the same amount as a decimal',
  heldUnits:
    'the held part of the closing balance, in the smallest unit: the total at `CLOSING`, then each hold',
  held: 'the same amount as a decimal',
  counterparty: 'a description of the counterparty',
  reference: "the payment's reference at banks",
  description: "the payer's note",
  transactionId: 'the transaction',
  cause: 'the record that caused the movement',
  transferId: 'the transfer of the ledger',
} as const

export type StatementColumn = keyof typeof STATEMENT_COLUMNS

/** The counterparty of a movement, if known. */
export const Counterparty = Type.Object({
  name: Type.Optional(Text(255)),
  accountId: Type.Optional(IdOfAny(['InternalAccount', 'ExternalAccount'])),
  umaAddress: Type.Optional(Text(255)),
  description: Type.Optional(Type.String({ description: 'A description of an external account' })),
})

const origin = {
  transferId: Id('LedgerTransfer', 'The ledger transfer. A payment and its fee are one transfer'),
  cause: LedgerCause,
  transactionId: Type.Optional(Id('Transaction')),
  counterparty: Type.Optional(Counterparty),
  reference: Type.Optional(Text(255)),
  description: Type.Optional(Type.String()),
}

export const StatementLine = Type.Object({
  at: Timestamp('The time at which it was posted'),
  kind: OneOfWords(STATEMENT_LINE_KINDS),
  amount: Int64({ description: 'The change of the balance; negative if money left the account' }),
  balance: Int64({ description: 'The balance after this line' }),
  ...origin,
})

export const StatementHold = Type.Object({
  since: Timestamp(),
  amount: Int64({ exclusiveMinimum: 0 }),
  ...origin,
})

/** A statement of an internal account. All amounts are in the smallest unit of the account's currency. */
export const AccountStatement = Type.Object({
  account: Type.Object({
    id: Id('InternalAccount'),
    type: InternalAccountType,
    owner: IdOfAny(['Customer', 'Platform']),
    ownerName: Type.String(),
    currency: Currency,
  }),
  from: Timestamp(),
  to: Timestamp(),
  createdAt: Timestamp(),
  openingBalance: Int64({ description: 'Everything posted before `from`' }),
  closingBalance: Int64({
    description: 'Everything posted before `to`: the opening balance and all lines',
  }),
  credits: Int64({ minimum: 0, description: 'The sum of the lines that add money' }),
  debits: Int64({ minimum: 0, description: 'The sum of the lines that subtract money, without a sign' }),
  fees: Int64({ description: 'The fees included in them, less refunded fees' }),
  lines: Type.Array(StatementLine),
  holds: Type.Array(StatementHold, {
    description: 'The holds at the end of the period, which are part of the closing balance. At most 1,000',
  }),
  heldBalance: Int64({ minimum: 0, description: 'The total held at the end of the period' }),
})

export const statement_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/statements',
  tag: 'Books',
  summary: 'Create a statement of an internal account',
  description:
    "Creates an account's statement for a period as JSON, CSV, a page to print, camt.053, MT940 or OFX, " +
    'depending on format. It lists every movement posted at or after `from` and before `to`, with the ' +
    'balance after each. A payment with a fee is two lines. A statement has at most 10,000 lines. If the ' +
    'period has more, 400 `PERIOD_TOO_LONG` states in `details.until` how far one statement reaches; ' +
    'begin the next one there.',
  query: Type.Object({
    accountId: Id('InternalAccount'),
    from: Type.Optional(Timestamp('Default: the opening of the account')),
    to: Type.Optional(Timestamp('Default: now')),
    format: Type.Optional(
      OneOfWords(
        keysOf(STATEMENT_FORMATS),
        'Default: json. html is a page for reading and printing. camt053, mt940 and ofx are only for accounts in ISO currencies',
      ),
    ),
  }),
  responses: { 200: AccountStatement },
  texts: ['csv', 'html', 'xml', 'plain', 'ofx'],
  errors: ['INVALID_INPUT', 'ACCOUNT_NOT_FOUND', 'PERIOD_TOO_LONG'],
})

export const statements = { statement_get }
