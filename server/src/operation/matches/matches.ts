import { isKnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import {
  MATCH_LINES_MAX,
  MATCH_PAYMENTS_MAX,
  type MatchAccount,
  type reconciliation_match_create,
} from '@countersign/contract/operation/reconciliation-matches'
import { INT64_MAX, INT64_MIN } from '../../base/json/int64.ts'
import { toActorView } from '../../kernel/audit/actors.ts'
import { toSystemAccountId } from '../../kernel/ledger/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import { findRailPayment } from '../../money/rails/rail-payments.ts'
import { deriveUuid, extractUuid, NIL_UUID } from '../../storage/engine/ids.ts'
import type { ReconciliationMatchItemRow, ReconciliationMatchRow } from '../../storage/rows/reconciliation.ts'
import { RAIL_PAYMENT_TRANSITIONS } from '../../storage/rows/states.ts'
import { findStatementLine, type StatementLine } from '../reconciliations/explain-lines.ts'
import { type Item, matchItemId, type RailAccount, selectItems, selectMatchItem } from './store.ts'

export type MatchBody = BodyOf<typeof reconciliation_match_create>

const LINES_FIELD = 'statementEntryIds'
const PAYMENTS_FIELD = 'paymentIds'

/** The checked lines and payments of a match, with their sums. */
export interface Group {
  readonly account: RailAccount
  readonly lines: readonly StatementLine[]
  readonly items: readonly MatchedItem[]
  readonly lineSum: bigint
  readonly bookSum: bigint
}

/** A payment, with its match record if it was ever matched. */
export interface MatchedItem extends Item {
  readonly row: ReconciliationMatchItemRow | undefined
}

/**
 * The lines and payments named in a request, plus all lines that refer to those payments. Throws 400
 * `INVALID_INPUT`, 409 `RECORDS_NOT_MATCHABLE`.
 */
export async function findGroup(op: Op, body: MatchBody): Promise<Group> {
  const { rail, currency, statementEntryIds = [], paymentIds = [] } = body
  if (!isKnownCurrency(currency))
    throw createFieldError('INVALID_CURRENCY', 'currency', `${currency} is not a supported currency.`)
  const account = { id: toSystemAccountId(op.platform.id, 'rail', currency, rail), rail, currency }
  const items = await findItems(op, account, paymentIds)
  const lines = await findLines(op, [...statementEntryIds, ...items.flatMap((item) => item.lines)])
  checkLines(account, lines, new Set(items.flatMap((item) => item.members)))
  const lineSum = lines.reduce((sum, { entry }) => sum + entry.amount, 0n)
  const bookSum = items.reduce((sum, { booked }) => sum + booked, 0n)
  if ([lineSum, bookSum, lineSum - bookSum].some((sum) => sum < INT64_MIN || sum > INT64_MAX))
    throw createFieldError('AMOUNT_OUT_OF_RANGE', LINES_FIELD, 'The sum of these lines is too large.')
  return { account, lines, items, lineSum, bookSum }
}

async function findLines(op: Op, ids: readonly string[]): Promise<StatementLine[]> {
  return Promise.all(
    [...new Set(ids)].sort().map(async (id) => {
      const line = await findStatementLine(op, id)
      if (!line) throw createFieldError('INVALID_INPUT', LINES_FIELD, `Statement line ${id} not found.`)
      return line
    }),
  )
}

function checkLines(
  { rail, currency }: RailAccount,
  lines: readonly StatementLine[],
  members: ReadonlySet<string>,
): void {
  if (lines.length === 0)
    throw createFieldError(
      'INVALID_INPUT',
      LINES_FIELD,
      'A match requires a statement line, and none names these payments.',
    )
  if (lines.length > MATCH_LINES_MAX)
    throw createFieldError('INVALID_INPUT', LINES_FIELD, `A match has at most ${MATCH_LINES_MAX} lines.`)
  for (const { entry, day } of lines) {
    if (day.rail !== rail || day.currency !== currency)
      throw createFieldError(
        'INVALID_INPUT',
        LINES_FIELD,
        `The line ${entry.id} is of ${day.rail} in ${day.currency}, not of ${rail} in ${currency}.`,
      )
    checkLine(entry, members)
  }
}

function checkLine({ id, item_id, reason, match_id }: StatementLine['entry'], members: ReadonlySet<string>) {
  if (match_id !== null) throw createNotMatchableError('MATCHED', id, `The line ${id} is in another match.`)
  if (item_id !== null && !members.has(item_id))
    throw createNotMatchableError(
      'PAYMENT_MISSING',
      id,
      `The line ${id} books ${item_id}: add that payment to the match.`,
    )
  if (item_id === null && reason === null)
    throw createNotMatchableError(
      'BOOKED',
      id,
      `The line ${id} was booked to an account of the platform already.`,
    )
}

async function findItems(op: Op, account: RailAccount, ids: readonly string[]): Promise<MatchedItem[]> {
  const unknown = ids.find((id) => extractUuid(id) === NIL_UUID)
  if (unknown !== undefined)
    throw createFieldError('INVALID_INPUT', PAYMENTS_FIELD, `Payment ${unknown} not found.`)
  const items = await selectItems(op, account, [...new Set(ids)])
  if (items.length > MATCH_PAYMENTS_MAX)
    throw createFieldError(
      'INVALID_INPUT',
      PAYMENTS_FIELD,
      `A match has at most ${MATCH_PAYMENTS_MAX} payments.`,
    )
  return Promise.all(
    items.map(async (item) => {
      const row = await selectMatchItem(op, matchItemId(account, item.id))
      await checkItem(op, account, item, row)
      return { ...item, row }
    }),
  )
}

async function checkItem(
  op: Op,
  { rail, currency }: RailAccount,
  { id, members, moves, lines }: Item,
  row: ReconciliationMatchItemRow | undefined,
): Promise<void> {
  if (row && row.match_id !== null) throw createNotMatchableError('MATCHED', id, `${id} is in another match.`)
  if (await isOpenAtRail(op, rail, members))
    throw createNotMatchableError('PAYMENT_OPEN', id, `${id} has not ended: decide about the payment first.`)
  if (moves === 0n && lines.length === 0)
    throw createNotMatchableError(
      'NOTHING_BOOKED',
      id,
      `Nothing is booked for ${id} on ${rail} in ${currency}.`,
    )
}

/** True if one of these payments at the rail may still be delivered or fail. */
async function isOpenAtRail(op: Op, rail: string, members: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    members.flatMap((id) =>
      (['OUT', 'PULL'] as const).map((direction) => findRailPayment(op, direction, id)),
    ),
  )
  return found.some(
    (payment) =>
      payment?.rail === rail && nextState(RAIL_PAYMENT_TRANSITIONS, payment.state, 'cancel') !== null,
  )
}

function createNotMatchableError(reason: string, id: string, message: string): ApiError {
  return new ApiError('RECORDS_NOT_MATCHABLE', { message, details: { reason, id } })
}

/**
 * The account to which the difference is booked; null if there is no difference. Throws 400 if the request
 * states another difference.
 */
export function accountForDifference(
  { account: { currency }, lineSum, bookSum }: Group,
  { difference }: MatchBody,
): MatchAccount | null {
  const found = lineSum - bookSum
  const sums = `The lines sum to ${lineSum} and the books to ${bookSum}: they differ by ${found}, in the smallest unit of ${currency}`
  if (!difference) {
    if (found === 0n) return null
    throw createFieldError('INVALID_INPUT', 'difference', `${sums}. Set difference to book it to an account.`)
  }
  if (difference.amount !== found) throw createFieldError('INVALID_INPUT', 'difference.amount', `${sums}.`)
  if (found === 0n)
    throw createFieldError('INVALID_INPUT', 'difference', 'Both sides have the same sum. Omit difference.')
  return difference.account
}

/** Equal for the same lines, payments, difference and account, so that votes for them count together. */
export function computeDigest(
  { lines, items, lineSum, bookSum }: Group,
  account: MatchAccount | null,
): string {
  const parts = [lines.map(({ entry }) => entry.id), items.map(({ id }) => id), lineSum, bookSum, account]
  return deriveUuid(parts.join(' '))
}

/** A match as the API shows it. */
export function matchView(row: ReconciliationMatchRow) {
  const { line_sum, book_sum, account } = row
  return {
    id: row.id,
    status: row.state,
    rail: row.rail,
    currency: toCurrencyRecord(row.currency),
    statementEntryIds: [...row.lines],
    paymentIds: [...row.items],
    lineSum: line_sum,
    bookSum: book_sum,
    ...(account === null ? {} : { difference: { amount: line_sum - book_sum, account } }),
    reason: row.reason,
    ...present({ undoReason: row.undo_reason }),
    matchedBy: toActorView(row),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
