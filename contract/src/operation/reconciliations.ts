import { Type } from 'typebox'
import { Currency } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { CalendarDate, CurrencyCode } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { keysOf } from '../core/objects.ts'
import { Int64, OneOfWords, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { RECONCILIATION_STATES } from '../states/reconciliation-states.ts'

/** Why a bank statement and the ledger differ. */
export const DIFFERENCES = {
  NOT_IN_STATEMENT: 'It is in the ledger and not yet on a statement',
  NOT_IN_BOOKS: "It is on a statement and not in the ledger: the statement contradicts the rail's reports",
  OTHER_AMOUNT: 'The ledger and a statement have different amounts for it',
  OTHER_CURRENCY: 'The payment is in another currency than the statement',
  UNKNOWN: 'A statement names an unknown payment or deposit',
  BOOKED_TWICE: 'It is on statements more than once: it may have been paid twice',
  REPEATED_ENTRY: 'The entry was already on an earlier statement',
  UNEXPLAINED: 'An entry that names no payment or deposit, and is not a fee or interest',
  OPENING_BALANCE: 'The first statement does not begin at 0, where the ledger begins',
  BALANCE_GAP: 'A statement does not begin where the previous one ended',
  WRONG_SUM: 'The entries of a statement do not lead from its opening to its closing balance',
  UNACCOUNTED: 'A remaining amount that no other reason explains',
} as const

export type DifferenceReason = keyof typeof DIFFERENCES
export const DIFFERENCE_REASONS: readonly DifferenceReason[] = keysOf(DIFFERENCES)

/** An entry that exists only in the statement or only in the ledger. */
export const ReconciliationDifference = Type.Object({
  reason: OneOfWords(DIFFERENCE_REASONS),
  amount: Int64({ description: 'The statement less the ledger, in the smallest unit' }),
  since: Timestamp('The time at which it first appeared on either side'),
  ageDays: Type.Integer({ minimum: 0, description: 'Full days since then' }),
  about: Type.Optional(
    Text(96, { description: 'The transaction, deposit or entry; absent for a statement as a whole' }),
  ),
  text: Type.Optional(Type.String({ description: "The bank's description of the entry" })),
})

const summary = {
  id: Id('RailStatement'),
  rail: Text(45),
  date: CalendarDate,
  currency: Currency,
  status: OneOfWords(
    RECONCILIATION_STATES,
    'WAITING: for the statement. BOOKING: its entries are being applied. BALANCED: no differences. DIFFERENT: with differences',
  ),
  statement: Type.Optional(
    Type.Object({
      id: Text(255, { description: "The bank's id of the statement" }),
      openingBalance: Int64(),
      closingBalance: Int64(),
      entryCount: Type.Integer({ minimum: 0 }),
      entrySum: Int64({ description: 'The sum of its entries; money in is positive' }),
      charged: Type.Optional(Int64({ description: "The bank's charges: the sum of its fees" })),
      expectedCosts: Type.Optional(
        Int64({
          description:
            'The cost of its payments according to the rails file. Absent if the file states no costs',
        }),
      ),
    }),
  ),
  ledger: Type.Optional(
    Type.Object({
      balance: Int64({ description: "The ledger's account of the rail as of this statement" }),
      later: Int64({
        description: 'Movements since that day, which belong to later statements. Not included in `balance`',
      }),
    }),
  ),
  difference: Type.Optional(
    Int64({ description: 'closingBalance - ledger.balance: the sum of all differences' }),
  ),
  differenceCount: Type.Integer({ minimum: 0 }),
  receivedAt: Type.Optional(Timestamp('The time at which the statement arrived')),
  reconciledAt: Type.Optional(Timestamp()),
  createdAt: Timestamp(),
}

/** A rail's day in one currency: the bank statement, reconciled with the ledger. */
export const Reconciliation = Type.Object(summary)

export const ReconciliationWithDifferences = Type.Object({
  ...summary,
  differences: Type.Array(ReconciliationDifference, {
    description: 'The 1,000 oldest, oldest first, followed by one UNACCOUNTED with the sum of the rest',
  }),
})

export const reconciliation_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/reconciliations',
  tag: 'Rails',
  summary: 'List reconciliations',
  description:
    'Lists the reconciliation of statements with the ledger, one entry for each rail, currency and day, ' +
    'newest first, with the totals of both.',
  query: Type.Object({
    rail: Type.Optional(Text(45)),
    currency: Type.Optional(CurrencyCode),
    status: Type.Optional(OneOfWords(RECONCILIATION_STATES)),
    startDate: Type.Optional(CalendarDate),
    endDate: Type.Optional(CalendarDate),
    ...pageQuery,
  }),
  responses: { 200: Page(Reconciliation) },
  errors: ['INVALID_INPUT'],
})

export const reconciliation_csv = fileOfList(reconciliation_list, 'reconciliations')

export const reconciliation_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/reconciliations/{reconciliationId}',
  tag: 'Rails',
  summary: 'Read a reconciliation',
  description: 'Shows one day of a rail and currency with its differences, each with its age and its reason.',
  params: Type.Object({ reconciliationId: PathId }),
  responses: { 200: ReconciliationWithDifferences },
  errors: ['RECONCILIATION_NOT_FOUND'],
})

export const reconciliations = { reconciliation_list, reconciliation_csv, reconciliation_get }
