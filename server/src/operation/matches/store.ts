import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { MatchState } from '@countersign/contract/states/match-states'
import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import { buildId, deriveUuid, extractUuid } from '../../storage/engine/ids.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { DepositDetails } from '../../storage/rows/rail.ts'
import type { ReconciliationMatchItemRow, ReconciliationMatchRow } from '../../storage/rows/reconciliation.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'

/** A rail's ledger account in one currency. All lines and payments of a match belong to the same account. */
export interface RailAccount {
  readonly id: string
  readonly rail: string
  readonly currency: KnownCurrency
}

const MATCH_BY_ID = lookupById('reconciliation_matches')

export async function selectMatch(op: Op, id: string): Promise<ReconciliationMatchRow | undefined> {
  return op.find(MATCH_BY_ID, id)
}

/** An earlier proposal of the same match that still needs votes of other members. */
export async function selectProposal(op: Op, digest: string): Promise<ReconciliationMatchRow | undefined> {
  return op.read
    .selectFrom('reconciliation_matches')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('digest', '=', digest)
    .where('state', '=', 'PROPOSED')
    .executeTakeFirst()
}

export interface MatchFilters {
  readonly rail?: string
  readonly currency?: string
  readonly status?: MatchState
}

export function selectMatches(op: Op, { rail, currency, status }: MatchFilters) {
  return op.read
    .selectFrom('reconciliation_matches')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'rail', '=', rail))
    .$call((q) => whereIfDefined(q, sql.ref<string>('currency'), '=', currency))
    .$call((q) => whereIfDefined(q, 'state', '=', status))
}

const MATCH_ITEM_BY_ID = lookupById('reconciliation_match_items')

/** The id of the record of a payment's match on a rail's account. */
export function matchItemId({ id }: RailAccount, itemId: string): string {
  return buildId('MatchItem', deriveUuid(`MatchItem ${id} ${itemId}`))
}

export async function selectMatchItem(op: Op, id: string): Promise<ReconciliationMatchItemRow | undefined> {
  return op.find(MATCH_ITEM_BY_ID, id)
}

/** A payment or deposit with the records that belong to it. */
export interface Item {
  readonly id: string
  /** The ids of a transaction, its quote, and the deposits that paid for it. */
  readonly members: readonly string[]
  /** The sum and the number of its ledger transfers on the rail's account. */
  readonly booked: bigint
  readonly moves: bigint
  /** The statement lines that refer to it, and their sum. */
  readonly lines: readonly string[]
  readonly line_sum: bigint
}

const ITEMS = `
  WITH items AS MATERIALIZED (
    SELECT DISTINCT coalesce(q.transaction_id, d.transaction_id, a.id) AS item
    FROM unnest($1::uuid[]) AS a (id)
    LEFT JOIN quotes q ON q.id = a.id AND q.platform_id = $2
    LEFT JOIN deposits d ON d.id = a.id AND d.platform_id = $2
  ), members AS MATERIALIZED (
    SELECT item, item AS id FROM items
    UNION SELECT item, t.quote_id FROM items JOIN transactions t ON t.id = item
      WHERE t.platform_id = $2 AND t.quote_id IS NOT NULL
    UNION SELECT item, d.id FROM items JOIN deposits d ON d.transaction_id = item WHERE d.platform_id = $2
  ), booked AS (
    SELECT m.item, sum(CASE l.debit_account_id WHEN $5 THEN l.amount ELSE - l.amount END) AS amount, count(*) AS moves
    FROM members m JOIN ledger_transfers l ON l.cause_id = m.id
    WHERE l.state = 'posted' AND l.cause <> 'statement' AND (l.debit_account_id = $5 OR l.credit_account_id = $5)
    GROUP BY 1
  ), lines AS (
    SELECT m.item, array_agg(e.id ORDER BY e.id) AS ids, sum(e.amount) AS amount
    FROM members m JOIN rail_statement_entries e ON e.item_id = m.id JOIN rail_statements s ON s.id = e.statement_id
    WHERE s.platform_id = $2 AND s.rail = $3 AND s.currency = $4 GROUP BY 1
  )
  SELECT i.item AS id, (SELECT array_agg(m.id) FROM members m WHERE m.item = i.item) AS members,
    coalesce(b.amount, 0)::bigint AS booked, coalesce(b.moves, 0)::bigint AS moves,
    coalesce(l.ids, '{}') AS lines, coalesce(l.amount, 0)::bigint AS line_sum
  FROM items i LEFT JOIN booked b ON b.item = i.item LEFT JOIN lines l ON l.item = i.item ORDER BY 1`

/** Finds payments and deposits by the ids of their records, in one statement. */
export async function selectItems(
  op: Op,
  { id, rail, currency }: RailAccount,
  ids: readonly string[],
): Promise<Item[]> {
  if (ids.length === 0) return []
  const { rows } = await op.db.query<Item>(ITEMS, [
    ids.map(extractUuid),
    extractUuid(op.platform.id),
    rail,
    currency,
    extractUuid(id),
  ])
  return rows
}

/** A payment or deposit with the names and references that a bank may use for it. */
export interface Described {
  readonly id: string
  readonly at: Date
  readonly references: readonly (string | null)[]
  readonly sender: DepositDetails['sender'] | null
  /** The external accounts that it pays, and that its money comes from. */
  readonly payee: AccountDetails | null
  readonly payer: AccountDetails | null
}

const DESCRIBED = `
  SELECT t.id, coalesce(t.settled_at, t.created_at) AS at, ARRAY[t.reference, t.remittance_information, t.payment_rail] AS references,
    t.details->'sender' AS sender, payee.account_info AS payee, payer.account_info AS payer
  FROM transactions t
  LEFT JOIN external_accounts payee ON payee.id = t.destination_account_id
  LEFT JOIN external_accounts payer ON payer.id = t.source_account_id
  WHERE t.id = ANY ($1::uuid[]) AND t.platform_id = $2
  UNION ALL
  SELECT d.id, d.received_at, ARRAY[d.rail_reference, d.details->>'remittanceInformation', d.details->>'endToEndId'],
    d.details->'sender', NULL, NULL
  FROM deposits d WHERE d.id = ANY ($1::uuid[]) AND d.platform_id = $2`

/** Names and references of payments and deposits, by id. Unknown ids are left out. */
export async function selectDescribed(op: Op, ids: readonly string[]): Promise<Described[]> {
  if (ids.length === 0) return []
  const { rows } = await op.db.query<Described>(DESCRIBED, [
    ids.map(extractUuid),
    extractUuid(op.platform.id),
  ])
  return rows
}
