import { type NotNull, sql } from 'kysely'
import type { App, Op } from '../../kernel/operation/app.ts'
import { buildId, deriveUuid, extractUuid, idOf } from '../../storage/engine/ids.ts'
import { getOnlyRow } from '../../storage/engine/port.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import type { RailStatementEntryRow, RailStatementRow } from '../../storage/rows/reconciliation.ts'
import type { OpenEntry, StatedDay } from './compare.ts'

/** The id of a rail's day in one currency. */
export function deriveRailStatementId(rail: string, currency: string, date: string): string {
  return buildId('RailStatement', deriveUuid(`RailStatement ${rail} ${currency} ${date}`))
}

/** The id of an entry, derived from its id at the bank. `repeat` gives a repeated entry a different id. */
export function deriveStatementEntryId(rail: string, railReference: string, repeat = ''): string {
  return buildId('StatementEntry', deriveUuid(`StatementEntry ${rail} ${railReference}${repeat}`))
}

const STATEMENT_BY_ID = lookupById('rail_statements')

export async function selectStatement(op: Op, id: string): Promise<RailStatementRow | undefined> {
  return op.find(STATEMENT_BY_ID, id)
}

const ENTRY_BY_ID = lookupById('rail_statement_entries')

export async function selectEntry(op: Op, id: string): Promise<RailStatementEntryRow | undefined> {
  return op.find(ENTRY_BY_ID, id)
}

/** The statement entries that book a deposit at its rail in its currency, at most two. */
export async function selectDepositLines(
  op: Op,
  { id, rail, currency }: Pick<DepositRow, 'id' | 'rail' | 'currency'>,
): Promise<Pick<RailStatementEntryRow, 'amount'>[]> {
  return op.read
    .selectFrom('rail_statement_entries as e')
    .innerJoin('rail_statements as s', 's.id', 'e.statement_id')
    .where('s.platform_id', '=', op.platform.id)
    .where('s.rail', '=', rail)
    .where(sql.ref<string>('s.currency'), '=', currency)
    .where('s.state', '<>', 'WAITING')
    .where('e.kind', '=', 'DEPOSIT')
    .where('e.item_id', '=', id)
    .select('e.amount')
    .limit(2)
    .execute()
}

/** An entry of any platform, for the operator. */
export async function findEntry(
  app: Pick<App, 'lookup'>,
  id: string,
): Promise<RailStatementEntryRow | undefined> {
  return app.lookup(ENTRY_BY_ID, id)
}

/** The bank's text for each entry, by id. */
export async function selectTexts(op: Op, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await Promise.all(ids.map((id) => selectEntry(op, id)))
  return new Map(rows.flatMap((row) => (row?.text ? [[row.id, row.text]] : [])))
}

export interface StatementFilters {
  readonly rail?: string
  readonly currency?: string
  readonly status?: RailStatementRow['state']
  readonly startDate?: string
  readonly endDate?: string
}

export function selectStatements(op: Op, { rail, currency, status, startDate, endDate }: StatementFilters) {
  return op.read
    .selectFrom('rail_statements')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'rail', '=', rail))
    .$call((q) => whereIfDefined(q, sql.ref<string>('currency'), '=', currency))
    .$call((q) => whereIfDefined(q, 'state', '=', status))
    .$call((q) => whereIfDefined(q, 'date', '>=', startDate))
    .$call((q) => whereIfDefined(q, 'date', '<=', endDate))
}

/** An entry that refers to a payment, a pull or a deposit. */
export type EntryWithItem = RailStatementEntryRow & { item_id: string }

/** The next entries of a statement that refer to a record, in order. */
export async function selectEntriesWithItem(
  op: Op,
  statementId: string,
  after: number,
  max: number,
): Promise<EntryWithItem[]> {
  return op.read
    .selectFrom('rail_statement_entries')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('statement_id', '=', statementId)
    .where('place', '>', after)
    .where('item_id', 'is not', null)
    .$narrowType<{ item_id: NotNull }>()
    .orderBy('place')
    .limit(max)
    .execute()
}

/** True if a statement has booked the return of a payment. */
export async function selectHasReturn(op: Op, itemId: string): Promise<boolean> {
  const found = await op.read
    .selectFrom('rail_statement_entries')
    .select('id')
    .where('platform_id', '=', op.platform.id)
    .where('item_id', '=', itemId)
    .where('kind', '=', 'PAYMENT_RETURN')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** The days of a rail in one currency up to a given one whose statements have arrived, in order. */
export async function selectDays(
  op: Op,
  { rail, currency, date }: RailStatementRow,
): Promise<(StatedDay & Pick<RailStatementRow, 'movements_since' | 'differences'>)[]> {
  const rows = await op.read
    .selectFrom('rail_statements')
    .select(['date', 'opening', 'closing', 'entry_sum', 'movements_since', 'differences'])
    .where('platform_id', '=', op.platform.id)
    .where('rail', '=', rail)
    .where('currency', '=', currency)
    .where('date', '<=', date)
    .where('state', '<>', 'WAITING')
    .orderBy('date')
    .execute()
  return rows.map(({ opening, closing, entry_sum, ...row }) => ({
    ...row,
    // The database guarantees these values for a day whose statement has arrived.
    opening: opening ?? 0n,
    closing: closing ?? 0n,
    sum: entry_sum ?? 0n,
  }))
}

/** The days of a rail whose entries are being applied. */
export function selectBooking(op: Op, rail: string): Promise<RailStatementRow[]> {
  return op.read
    .selectFrom('rail_statements')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('rail', '=', rail)
    .where('state', '=', 'BOOKING')
    .orderBy('date')
    .execute()
}

/** The latest day whose statement has arrived. */
export async function selectLatest(
  op: Op,
  rail: string,
  currency: string,
): Promise<RailStatementRow | undefined> {
  return op.read
    .selectFrom('rail_statements')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('rail', '=', rail)
    .where(sql.ref<string>('currency'), '=', currency)
    .where('state', '<>', 'WAITING')
    .orderBy('date', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The creation time of a rail's oldest unfinished payment. */
export async function selectOldestOpen(op: Op, rail: string): Promise<Date | undefined> {
  const row = await op.read
    .selectFrom('rail_payments')
    .select('created_at')
    .where('platform_id', '=', op.platform.id)
    .where('rail', '=', rail)
    .where('state', 'in', ['GIVEN', 'ACCEPTED'])
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  return row?.created_at
}

/**
 * True if the rail has a ledger account or a statement in the currency, so that reconciliation makes sense.
 */
export async function selectIsUsed(
  op: Op,
  rail: string,
  currency: string,
  accountId: string,
): Promise<boolean> {
  const { rows } = await op.db.query<{ used: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM ledger_accounts WHERE id = $1)
       OR EXISTS (SELECT 1 FROM rail_statements WHERE platform_id = $2 AND rail = $3 AND currency = $4) AS used`,
    [extractUuid(accountId), extractUuid(op.platform.id), rail, currency],
  )
  return getOnlyRow(rows).used
}

/** Items whose two sides may differ, with both sides. */
export interface Sides {
  /** The current balance of the rail's account in the ledger. */
  readonly posted: bigint
  /** The sum booked automatically from entries of later statements. */
  readonly bookedLater: bigint
  readonly items: readonly ItemRow[]
  readonly open: readonly OpenEntry[]
}

export interface ItemRow {
  readonly id: string
  /**
   * The ids of its records: a transaction, its quote and the deposits that paid for it, or all records of a
   * match.
   */
  readonly members: readonly string[]
  readonly ours: bigint
  readonly oursByCut: bigint
  readonly oursSince: Date | null
  readonly theirs: bigint
  readonly theirsSince: Date | null
  readonly isTwice: boolean
}

export interface SidesQuery {
  readonly rail: string
  readonly currency: string
  readonly date: string
  readonly statementId: string
  /** The rail's account in the ledger. */
  readonly accountId: string
  /** The end of the day. */
  readonly cut: Date
  /** Ledger transfers before this time are not read. */
  readonly since: Date
  /** The payments and deposits that differed before. */
  readonly carried: readonly string[]
}

/**
 * One SQL statement reads one snapshot. An item may differ if an entry of the day refers to it, if the ledger
 * moved money for it recently, or if it differed before. All parts of a payment or match form one item,
 * because the ledger refers to quotes and banks refer to transactions.
 */
const SIDES = `
  WITH statements AS MATERIALIZED (
    SELECT id FROM rail_statements WHERE platform_id = $1 AND rail = $2 AND currency = $3 AND date <= $4 AND state <> 'WAITING'
  ), seeds AS (
    SELECT item_id AS id FROM rail_statement_entries WHERE statement_id = $5 AND item_id IS NOT NULL
    UNION SELECT cause_id FROM ledger_transfers
      WHERE debit_account_id = $6 AND created_at >= $8 AND state = 'posted' AND cause <> 'statement'
    UNION SELECT cause_id FROM ledger_transfers
      WHERE credit_account_id = $6 AND created_at >= $8 AND state = 'posted' AND cause <> 'statement'
    UNION SELECT item_id FROM reconciliation_match_items
      WHERE platform_id = $1 AND rail = $2 AND currency = $3 AND updated_at >= $8
    UNION SELECT unnest($9::uuid[])
  ), roots AS (
    SELECT DISTINCT coalesce(i.match_id, seed.item) AS root
    FROM (
      SELECT DISTINCT coalesce(q.transaction_id, d.transaction_id, s.id) AS item
      FROM seeds s LEFT JOIN quotes q ON q.id = s.id LEFT JOIN deposits d ON d.id = s.id
    ) AS seed LEFT JOIN reconciliation_match_items i
      ON i.item_id = seed.item AND i.platform_id = $1 AND i.rail = $2 AND i.currency = $3
  ), items AS MATERIALIZED (
    SELECT root, root AS item FROM roots
    UNION SELECT root, i.item_id FROM roots JOIN reconciliation_match_items i ON i.match_id = root
  ), members AS MATERIALIZED (
    SELECT root, item AS id FROM items
    UNION SELECT root, t.quote_id FROM items JOIN transactions t ON t.id = item WHERE t.quote_id IS NOT NULL
    UNION SELECT root, d.id FROM items JOIN deposits d ON d.transaction_id = item
  ), ours AS (
    SELECT root, sum(amount) AS ours, coalesce(sum(amount) FILTER (WHERE at < $7), 0) AS by_cut, min(at) AS since
    FROM (
      SELECT m.root, CASE l.debit_account_id WHEN $6 THEN l.amount ELSE - l.amount END AS amount, l.ended_at AS at
      FROM members m JOIN ledger_transfers l ON l.cause_id = m.id
      WHERE l.state = 'posted' AND l.cause <> 'statement' AND (l.debit_account_id = $6 OR l.credit_account_id = $6)
    ) AS moved GROUP BY root
  ), theirs AS (
    SELECT root, sum(amount) AS theirs, min(since) AS since, bool_or(n > 1) AS twice
    FROM (
      SELECT m.root, e.item_id, e.kind, sum(e.amount) AS amount, min(e.booked_at) AS since, count(*) AS n
      FROM members m JOIN rail_statement_entries e ON e.item_id = m.id
      WHERE e.statement_id IN (SELECT id FROM statements) GROUP BY 1, 2, 3
      UNION ALL SELECT r.root, e.id, e.kind, e.amount, e.booked_at, 1
      FROM roots r JOIN rail_statement_entries e ON e.match_id = r.root
      WHERE e.item_id IS NULL AND e.statement_id IN (SELECT id FROM statements)
    ) AS stated GROUP BY root
  ), differing AS MATERIALIZED (
    SELECT r.root, o.ours, o.by_cut, o.since AS ours_since, t.theirs, t.since AS theirs_since, t.twice
    FROM roots r LEFT JOIN ours o ON o.root = r.root LEFT JOIN theirs t ON t.root = r.root
    WHERE coalesce(o.ours, 0) <> coalesce(t.theirs, 0)
  ), named AS (
    SELECT m.root, jsonb_agg(m.id) AS members FROM differing d JOIN members m ON m.root = d.root GROUP BY m.root
  )
  SELECT coalesce((SELECT posted FROM ledger_accounts WHERE id = $6), 0)::bigint AS posted,
    coalesce((SELECT sum(e.amount) FROM rail_statements s JOIN rail_statement_entries e ON e.statement_id = s.id
      WHERE s.platform_id = $1 AND s.rail = $2 AND s.currency = $3 AND s.date > $4
        AND e.item_id IS NULL AND e.reason IS NULL), 0)::bigint AS "bookedLater",
    coalesce((SELECT jsonb_agg(to_jsonb(i)) FROM (
      SELECT d.root AS id, coalesce(d.ours, 0)::text AS ours, coalesce(d.by_cut, 0)::text AS "oursByCut", d.ours_since AS "oursSince",
        coalesce(d.theirs, 0)::text AS theirs, d.theirs_since AS "theirsSince", coalesce(d.twice, false) AS "isTwice", n.members
      FROM differing d JOIN named n ON n.root = d.root) AS i), '[]') AS items,
    coalesce((SELECT jsonb_agg(to_jsonb(e)) FROM (
      SELECT id, amount::text AS amount, booked_at AS "bookedAt", reason FROM rail_statement_entries
      WHERE statement_id IN (SELECT id FROM statements) AND reason IS NOT NULL AND match_id IS NULL) AS e), '[]') AS open`

type Json<Row> = { readonly [K in keyof Row]: Row[K] extends boolean ? boolean : string | null }

interface SidesRow {
  readonly posted: bigint
  readonly bookedLater: bigint
  readonly items: readonly (Omit<Json<ItemRow>, 'members'> & { readonly members: readonly string[] })[]
  readonly open: readonly Json<OpenEntry>[]
}

/** Reads the current state of both sides of a day. Omits items whose sides are equal. */
export async function selectSides(
  op: Pick<Op, 'db'> & { readonly platform: { readonly id: string } },
  query: SidesQuery,
): Promise<Sides> {
  const { rows } = await op.db.query<SidesRow>(SIDES, [
    extractUuid(op.platform.id),
    query.rail,
    query.currency,
    query.date,
    extractUuid(query.statementId),
    extractUuid(query.accountId),
    query.cut,
    query.since,
    query.carried.map(extractUuid),
  ])
  const { items, open, ...sums } = getOnlyRow(rows)
  return {
    ...sums,
    items: items.map((item) => ({
      id: idOf(String(item.id)),
      members: item.members.map(idOf),
      ours: BigInt(item.ours ?? 0),
      oursByCut: BigInt(item.oursByCut ?? 0),
      oursSince: toDate(item.oursSince),
      theirs: BigInt(item.theirs ?? 0),
      theirsSince: toDate(item.theirsSince),
      isTwice: item.isTwice,
    })),
    open: open.map(({ id, amount, bookedAt, reason }) => ({
      id: idOf(String(id)),
      amount: BigInt(amount ?? 0),
      bookedAt: new Date(String(bookedAt)),
      reason: reason === 'REPEATED_ENTRY' ? reason : 'UNEXPLAINED',
    })),
  }
}

function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}
