import { Type } from 'typebox'
import { AuditActor } from '../core/actors.ts'
import { Currency } from '../core/currencies.ts'
import { endpoint, KIB } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id, IdOfAny, PathId } from '../core/ids.ts'
import { Int64, OneOfWords, Page, Prose, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { MATCH_STATES } from '../states/match-states.ts'

const TAG = 'Rails'

/** Maximum number of lines, and of payments, in a match. */
export const MATCH_LINES_MAX = 500
export const MATCH_PAYMENTS_MAX = 500

/** The platform's accounts to which a match's difference can be booked. */
export const MATCH_ACCOUNTS = ['costs', 'fx', 'receivables'] as const
export type MatchAccount = (typeof MATCH_ACCOUNTS)[number]

const account = OneOfWords(
  MATCH_ACCOUNTS,
  'costs: charged or paid by a bank. fx: bought or sold at the bank. receivables: owed to the platform',
)

const DIFFERENCE = 'The sum of the lines less the amount of the payments in the ledger, in the smallest unit'

const statementEntryIds = Type.Array(Id('StatementEntry'), {
  minItems: 1,
  maxItems: MATCH_LINES_MAX,
  description: 'Statement lines of one rail and currency',
})

const PaymentId = IdOfAny(['Transaction', 'Deposit', 'Quote'])

/** A match of statement lines with payments. */
export const ReconciliationMatch = Type.Object({
  id: Id('ReconciliationMatch'),
  status: OneOfWords(
    MATCH_STATES,
    'PROPOSED: more members must approve it, and nothing is booked. UNDONE: its lines and payments are open again. CLOSED: it is final',
  ),
  rail: Text(45),
  currency: Currency,
  statementEntryIds,
  paymentIds: Type.Array(PaymentId, {
    maxItems: MATCH_PAYMENTS_MAX,
    description: 'Transactions, and deposits without a transaction',
  }),
  lineSum: Int64({ description: 'The sum of the lines; money in is positive' }),
  bookSum: Int64({ description: 'The amount of the payments in the ledger' }),
  difference: Type.Optional(
    Type.Object(
      { amount: Int64({ description: DIFFERENCE }), account },
      { description: 'Absent if it is 0' },
    ),
  ),
  reason: Prose(500),
  undoReason: Type.Optional(Prose(500)),
  matchedBy: AuditActor,
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

export const ReconciliationMatchRequest = Type.Object({
  rail: Text(45),
  currency: CurrencyCode,
  statementEntryIds: Type.Optional(
    Type.Array(Id('StatementEntry'), {
      maxItems: MATCH_LINES_MAX,
      description:
        'Statement lines of this rail and currency. Lines that name one of the payments are included automatically',
    }),
  ),
  paymentIds: Type.Optional(
    Type.Array(PaymentId, {
      maxItems: MATCH_PAYMENTS_MAX,
      description: 'Payments and deposits that the lines book. Omit it for a line and its reversal',
    }),
  ),
  difference: Type.Optional(
    Type.Object(
      { amount: Int64({ description: DIFFERENCE }), account },
      {
        description: 'Required unless it is 0. It must equal the difference between the lines and the ledger',
      },
    ),
  ),
  reason: Prose(500, { description: 'The reason for the match. Stored with it' }),
})

export const MATCH_SUGGESTION_KINDS = ['PAYMENT', 'BATCH', 'PARTS', 'REVERSAL', 'CHARGE'] as const
export type MatchSuggestionKind = (typeof MATCH_SUGGESTION_KINDS)[number]

export const MATCH_SIGNS = ['AMOUNT', 'REFERENCE', 'NAME', 'DATE'] as const
export type MatchSign = (typeof MATCH_SIGNS)[number]

/** Maximum number of suggestions in a response. */
export const MATCH_SUGGESTIONS_MAX = 100

export const ReconciliationMatchSuggestion = Type.Object({
  kind: OneOfWords(
    MATCH_SUGGESTION_KINDS,
    'PAYMENT: one line and one payment. BATCH: a line that books several payments. PARTS: several lines ' +
      'that book one payment. REVERSAL: a line and its reversal. CHARGE: a payment whose line differs by a ' +
      'bank charge',
  ),
  signs: Type.Array(OneOfWords(MATCH_SIGNS), {
    description: 'The properties that agree. DATE: they are at most three days apart',
  }),
  statementEntryIds,
  paymentIds: Type.Array(PaymentId, { maxItems: MATCH_PAYMENTS_MAX }),
  lineSum: Int64(),
  bookSum: Int64(),
  difference: Int64({ description: 'lineSum - bookSum' }),
  account: Type.Optional(account),
  text: Type.Optional(Type.String({ description: "The bank's description of the first line" })),
})

const matchPath = Type.Object({ reconciliationMatchId: PathId })

/** Suggests matching lines and payments. */
export const reconciliation_match_suggestion_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/reconciliations/{reconciliationId}/match-suggestions',
  tag: TAG,
  summary: 'Suggest matches',
  description:
    'Suggests which lines and payments among the open differences of a rail and currency belong ' +
    'together, by amount, reference, name and date: at most 100 suggestions from the 1,000 oldest ' +
    'differences. Each line and each payment is in at most one suggestion. Nothing is matched.',
  params: Type.Object({ reconciliationId: PathId }),
  responses: { 200: Type.Object({ data: Type.Array(ReconciliationMatchSuggestion) }) },
  errors: ['RECONCILIATION_NOT_FOUND'],
})

/** Matches lines with payments and books their difference. */
export const reconciliation_match_create = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/reconciliation-matches',
  tag: TAG,
  summary: 'Match lines with payments',
  description:
    'Matches statement lines with payments of one rail and currency. Their difference is booked between ' +
    "the rail's account and one of the platform's accounts; no customer's balance changes. A line or " +
    'payment can be in only one match. Differences that the match explains disappear with the next ' +
    'reconciliation, which runs immediately. If the platform has set approvalsRequired, only members can ' +
    'do this, and the match is PROPOSED until enough of them have sent the same one.',
  idempotent: true,
  bodyBytesMax: 128 * KIB,
  body: ReconciliationMatchRequest,
  responses: { 201: ReconciliationMatch },
  errors: ['INVALID_INPUT', 'INVALID_CURRENCY', 'AMOUNT_OUT_OF_RANGE', 'FORBIDDEN', 'RECORDS_NOT_MATCHABLE'],
})

export const reconciliation_match_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/reconciliation-matches',
  tag: TAG,
  summary: 'List matches',
  description: 'Lists which statement lines were matched with which payments, by whom and why, newest first.',
  query: Type.Object({
    rail: Type.Optional(Text(45)),
    currency: Type.Optional(CurrencyCode),
    status: Type.Optional(OneOfWords(MATCH_STATES)),
    ...pageQuery,
  }),
  responses: { 200: Page(ReconciliationMatch) },
  errors: ['INVALID_INPUT'],
})

/** Undoes a match, so that its lines and payments are open again. */
export const reconciliation_match_undo = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/reconciliation-matches/{reconciliationMatchId}/undo',
  tag: TAG,
  summary: 'Undo a match',
  description:
    'Reopens the lines and payments of a match, and reverses the booking of its difference. A CLOSED ' +
    'match cannot be undone. A PROPOSED match is withdrawn by one call. If the platform has set ' +
    'approvalsRequired, only members can do this, and the match does not change until enough of them ' +
    'have.',
  idempotent: true,
  params: matchPath,
  body: Type.Object({ reason: Prose(500, { description: 'Stored with the match' }) }),
  responses: { 200: ReconciliationMatch },
  errors: [
    'INVALID_INPUT',
    'AMOUNT_OUT_OF_RANGE',
    'FORBIDDEN',
    'RECONCILIATION_MATCH_NOT_FOUND',
    'INVALID_STATE_TRANSITION',
  ],
})

/** Makes a match final. */
export const reconciliation_match_close = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  method: 'POST',
  path: '/reconciliation-matches/{reconciliationMatchId}/close',
  tag: TAG,
  summary: 'Close a match',
  description:
    'Makes a match final, for example at the end of a month: it can no longer be undone. No money moves.',
  params: matchPath,
  responses: { 200: ReconciliationMatch },
  errors: ['RECONCILIATION_MATCH_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const reconciliationMatches = {
  reconciliation_match_suggestion_list,
  reconciliation_match_create,
  reconciliation_match_list,
  reconciliation_match_undo,
  reconciliation_match_close,
}
