import { RECONCILIATION_TRANSITIONS } from '@countersign/contract/states/reconciliation-states'
import { toSystemAccountId } from '../../kernel/ledger/accounts.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { findDepositRow } from '../../money/rails/deposit-rows.ts'
import { findRailPayment } from '../../money/rails/rail-payments.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { RailStatementRow, StoredDifference } from '../../storage/rows/reconciliation.ts'
import { type Comparison, compare, type Difference, type Item } from './compare.ts'
import { endOfRailDay } from './days.ts'
import {
  type ItemRow,
  selectDays,
  selectEntriesWithItem,
  selectLatest,
  selectOldestOpen,
  selectSides,
  selectStatement,
} from './store.ts'
import { toReconciliationView } from './views.ts'

/**
 * The intervals at which a new difference is rechecked before it is reported, because jobs for applied
 * reports may still be due.
 */
const SETTLING_SECONDS = [2, 5, 10, 20, 40] as const
/** The interval between comparisons while differences remain, because a late report may resolve them. */
const REPEAT_SECONDS = 60 * 60
/** The maximum time between the start of an operation and its commit, which may follow a comparison. */
const LATE_SECONDS = 15 * 60
export const DIFFERENCES_MAX = 1000
const BEGINNING = new Date(0)

/**
 * Compares a booked statement with the ledger. A difference is reported if it lasts for about a minute. While
 * differences remain, the comparison repeats hourly until the next statement has been compared.
 */
export const compareStatement: JobHandler<'statement.compare'> = async (op, { statementId, attempt }) => {
  const statement = await selectStatement(op, statementId)
  if (!statement || statement.state === 'WAITING') return []
  // Another part of the day has arrived in the meantime. It will be compared after it has been booked.
  if (statement.state === 'BOOKING' && (await isUnbooked(op, statement))) return []
  const latest = await selectLatest(op, statement.rail, statement.currency)
  const isLatest = latest?.id === statementId
  if (statement.state === 'DIFFERENT' && !isLatest) return []
  const result = await reconcileStatement(op, statement)
  // In the sandbox nothing is in progress at the bank.
  const wait = op.mode === 'production' ? SETTLING_SECONDS[attempt] : undefined
  const nextPayload = { statementId, attempt: attempt + 1 }
  // A return that has not been paid back yet looks like a transfer of a later day.
  const mayChange = result.row.difference_count > 0 || (attempt === 0 && result.row.later !== 0n)
  if (statement.state === 'BOOKING' && mayChange && wait !== undefined)
    return [job(op, 'statement.compare', nextPayload, addSeconds(op.now, wait))]
  return [
    ...result.writes,
    // Sandbox reports are never late, and the sandbox clock may move by years.
    ...(result.row.difference_count > 0 && isLatest && op.mode === 'production'
      ? [job(op, 'statement.compare', nextPayload, addSeconds(op.now, REPEAT_SECONDS))]
      : []),
    // A late statement may close a gap before later ones.
    ...(isLatest || !latest
      ? []
      : [job(op, 'statement.compare', { statementId: latest.id, attempt }, op.now)]),
  ]
}

async function isUnbooked(op: Op, { id, booked_count }: RailStatementRow): Promise<boolean> {
  return (await selectEntriesWithItem(op, id, booked_count, 1)).length > 0
}

/**
 * Compares a statement and stores the result, with an event if there are new differences. Guard: nobody else
 * has compared it.
 */
export async function reconcileStatement(
  op: Op,
  before: RailStatementRow,
): Promise<{ readonly row: RailStatementRow; readonly writes: readonly Write[] }> {
  const oldestOpen = await selectOldestOpen(op, before.rail)
  const { differences, balance, later } = await compareDays(op, before)
  const stored = toStoredDifferences(differences)
  const since = addSeconds(op.now, -LATE_SECONDS)
  const { row, write } = transition(
    op,
    'rail_statements',
    RECONCILIATION_TRANSITIONS,
    before,
    differences.length === 0 ? 'balance' : 'differ',
    {
      balance,
      later,
      differences: stored,
      difference_count: differences.length,
      movements_since: oldestOpen && oldestOpen < since ? oldestOpen : since,
      reconciled_at: op.now,
    },
    {
      reconciled_at: before.reconciled_at,
      ...(before.entry_count === null ? {} : { entry_count: before.entry_count }),
    },
  )
  const isNew = differences.length > 0 && toComparisonKey(before.differences) !== toComparisonKey(stored)
  const events = isNew ? [event(op, 'RECONCILIATION.DIFFERENT', row.id, toReconciliationView(row))] : []
  return { row, writes: [write, ...events] }
}

/** Compares an account's days up to this one with the ledger. */
export async function compareDays(op: Op, statement: RailStatementRow): Promise<Comparison> {
  const days = await selectDays(op, statement)
  const before = days.at(-2)
  const carried = [...(before?.differences ?? []), ...statement.differences].flatMap(({ about }) =>
    about === undefined || about.startsWith('StatementEntry:') ? [] : [about],
  )
  const compareFrom = (since: Date) => compareSince(op, statement, days, carried, since)
  const found = await compareFrom(before?.movements_since ?? BEGINNING)
  // A job that was hours late may have posted the rest, so compare all ledger transfers.
  return found.differences.some(({ reason }) => reason === 'UNACCOUNTED') ? compareFrom(BEGINNING) : found
}

async function compareSince(
  op: Op,
  { id, rail, currency, date }: RailStatementRow,
  days: Awaited<ReturnType<typeof selectDays>>,
  carried: readonly string[],
  since: Date,
): Promise<Comparison> {
  const cut = endOfRailDay(date, op.rails.find(rail))
  const accountId = toSystemAccountId(op.platform.id, 'rail', currency, rail)
  const query = { rail, currency, date, statementId: id, accountId, cut, since, carried }
  const { items, open, ...balance } = await selectSides(op, query)
  const known = await Promise.all(items.map((item) => toItem(op, rail, currency, item)))
  return compare(days, known, open, balance)
}

async function toItem(op: Op, rail: string, currency: string, row: ItemRow): Promise<Item> {
  const { members: _, oursSince, theirsSince, ...item } = row
  return {
    ...item,
    oursSince: oursSince ?? undefined,
    theirsSince: theirsSince ?? undefined,
    known:
      row.ours === 0n && row.oursSince === null ? await findKnown(op, rail, currency, row.members) : 'here',
  }
}

/** Determines if the rail has carried one of these payments and deposits in this currency. */
async function findKnown(
  op: Op,
  rail: string,
  currency: string,
  members: readonly string[],
): Promise<Item['known']> {
  const found = await Promise.all([
    ...members.flatMap((id) =>
      (['OUT', 'PULL'] as const).map((direction) => findRailPayment(op, direction, id)),
    ),
    ...members.map((id) => findDepositRow(op, id)),
  ])
  const railRecords = found.filter((row) => row?.rail === rail)
  if (railRecords.length === 0) return 'unknown'
  return railRecords.some((row) => row?.currency === currency) ? 'here' : 'other-currency'
}

/** Differences in their stored form, oldest first. Those beyond the first thousand are combined into one. */
function toStoredDifferences(differences: readonly Difference[]): StoredDifference[] {
  const sorted = differences.toSorted((a, b) => a.since.getTime() - b.since.getTime())
  const shown = sorted.slice(0, DIFFERENCES_MAX)
  const excess = sorted.slice(DIFFERENCES_MAX)
  const sum = excess.reduce((total, { amount }) => total + amount, 0n)
  const [oldest] = excess
  const combined: Difference[] = oldest ? [{ reason: 'UNACCOUNTED', amount: sum, since: oldest.since }] : []
  return [...shown, ...combined].map(({ reason, amount, since, about }) => ({
    reason,
    amount: String(amount),
    since: since.toISOString(),
    ...(about === undefined ? {} : { about }),
  }))
}

function toComparisonKey(differences: readonly StoredDifference[]): string {
  return differences
    .map(({ reason, amount, about = '' }) => `${reason} ${amount} ${about}`)
    .sort()
    .join('\n')
}
