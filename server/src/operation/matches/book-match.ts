import type { MatchAccount } from '@countersign/contract/operation/reconciliation-matches'
import { fitsBalance } from '../../kernel/ledger/balances.ts'
import { type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import { reopenLineReports, resolveLineReports } from '../../money/rail-events/waiting-lines.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { ReconciliationMatchRow } from '../../storage/rows/reconciliation.ts'
import { findStatementLine, scheduleComparison } from '../reconciliations/explain-lines.ts'
import type { Group } from './matches.ts'
import { matchItemId, type RailAccount } from './store.ts'

/**
 * The writes that add lines and payments to a match, resolve reports about the lines, and book the
 * difference. The match row must be inserted after them, because the database checks it against them. Guards:
 * no line has changed, and no line or payment is in a match.
 */
export async function joinWrites(
  op: Op,
  { account, lines, items }: Group,
  row: ReconciliationMatchRow,
): Promise<readonly Write[]> {
  const { rail, currency } = account
  return [
    ...lines.map(({ entry: { id, amount, item_id, reason } }) =>
      update('rail_statement_entries', id, { amount, item_id, reason, match_id: null }, { match_id: row.id }),
    ),
    ...items.map((item) =>
      item.row
        ? update(
            'reconciliation_match_items',
            item.row.id,
            { match_id: null },
            { match_id: row.id, updated_at: op.now },
          )
        : insert('reconciliation_match_items', {
            id: matchItemId(account, item.id),
            platform_id: op.platform.id,
            rail,
            currency,
            item_id: item.id,
            match_id: row.id,
            created_at: op.now,
            updated_at: op.now,
          }),
    ),
    ...(await resolveLineReports(
      op,
      rail,
      lines.map(({ entry }) => entry.rail_reference),
      row.reason,
    )),
    ...(await bookDifference(op, row, row.line_sum - row.book_sum)),
    ...(await scheduleComparison(op, rail, currency)),
  ]
}

/**
 * The writes that release a match's lines and payments, reopen the reports about the lines, and reverse the
 * booked difference. The match row must be updated after them.
 */
export async function undoWrites(
  op: Op,
  account: RailAccount,
  row: ReconciliationMatchRow,
): Promise<readonly Write[]> {
  const lines = await Promise.all(row.lines.map((id) => findStatementLine(op, id)))
  return [
    ...row.lines.map((id) => update('rail_statement_entries', id, { match_id: row.id }, { match_id: null })),
    ...row.items.map((id) =>
      update(
        'reconciliation_match_items',
        matchItemId(account, id),
        { match_id: row.id },
        { match_id: null, updated_at: op.now },
      ),
    ),
    ...(await reopenLineReports(
      op,
      row.rail,
      lines.flatMap((line) => (line ? [line.entry.rail_reference] : [])),
      row.reason,
    )),
    ...(await bookDifference(op, row, row.book_sum - row.line_sum)),
    ...(await scheduleComparison(op, row.rail, row.currency)),
  ]
}

/**
 * Books a difference between the rail's account and one of the platform's accounts. Throws 400
 * `AMOUNT_OUT_OF_RANGE`.
 */
async function bookDifference(
  op: Op,
  { id, rail, currency, account }: ReconciliationMatchRow,
  difference: bigint,
): Promise<readonly Write[]> {
  if (account === null) return []
  const legs = buildDifferenceLegs(rail, currency, account, difference)
  if (!(await fitsBalance(op, legs)))
    throw createFieldError(
      'AMOUNT_OUT_OF_RANGE',
      'difference',
      'This difference would exceed the maximum balance of a platform account.',
    )
  return post(op, { cause: 'match', causeId: id }, legs)
}

function buildDifferenceLegs(
  rail: string,
  currency: string,
  account: MatchAccount,
  difference: bigint,
): Leg[] {
  return [
    { system: 'rail', rail, currency, amount: -difference },
    { system: account, currency, amount: difference },
  ]
}
