import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { LATE_MS, SKEW_MS } from '../../kernel/ledger/late-ends.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { extractUuid, toFirstUuidAt } from '../../storage/engine/ids.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import type { ChartOfAccountsRow } from '../../storage/rows/accounting.ts'

const CHART_BY_ID = lookupById('charts_of_accounts')

export async function selectChart(op: Op): Promise<ChartOfAccountsRow | undefined> {
  return op.find(CHART_BY_ID, op.platform.id)
}

/**
 * The properties of a ledger account that determine its place in the chart. `name` is null for internal
 * accounts.
 */
export interface AccountKind {
  readonly name: string | null
  /** False for customers' accounts. */
  readonly isOwn: boolean
  readonly currency: KnownCurrency
}

/** The kinds of accounts in the platform's ledger. */
export async function selectAccountKinds(op: Op): Promise<AccountKind[]> {
  const { rows } = await op.db.query<AccountKind>(
    `SELECT DISTINCT name, owner = platform_id AS "isOwn", currency FROM ledger_accounts WHERE platform_id = $1
     ORDER BY name, "isOwn", currency`,
    [extractUuid(op.platform.id)],
  )
  return rows
}

/** A posted transfer, with the kinds of its accounts. */
export interface PostedRow {
  readonly id: string
  readonly amount: bigint
  readonly currency: KnownCurrency
  readonly cause: string
  readonly cause_id: string
  readonly ended_at: Date
  readonly debit_account_id: string
  readonly debit_name: string | null
  readonly debit_is_own: boolean
  readonly credit_account_id: string
  readonly credit_name: string | null
  readonly credit_is_own: boolean
}

const COLUMNS =
  'id, platform_id, debit_account_id, credit_account_id, currency, amount, cause, cause_id, ended_at'
const MATCHING =
  "t.platform_id = $1 AND t.state = 'posted' AND t.id > $6 AND ($7::text IS NULL OR t.currency = $7)"

/**
 * $2 and $3: the period. $4 and $5: the range of ids of transfers created in the period or up to a day before
 * it. Transfers that took longer to post are in `ledger_late_ends`. Ids begin with the creation time, so the
 * primary key has chronological order.
 */
const POSTED = `
SELECT t.id, t.amount, t.currency, t.cause, t.cause_id, t.ended_at,
  t.debit_account_id, d.name AS debit_name, d.owner = t.platform_id AS debit_is_own,
  t.credit_account_id, c.name AS credit_name, c.owner = t.platform_id AS credit_is_own
FROM (
  SELECT * FROM (
    (SELECT ${COLUMNS} FROM ledger_transfers t
     WHERE ${MATCHING} AND t.id >= $4 AND t.id < $5 AND t.ended_at >= $2 AND t.ended_at < $3 ORDER BY t.id LIMIT $8)
    UNION ALL
    (SELECT ${COLUMNS.split(', ')
      .map((column) => `t.${column}`)
      .join(', ')} FROM ledger_late_ends l JOIN ledger_transfers t ON t.id = l.id
     WHERE ${MATCHING} AND l.platform_id = $1 AND l.ended_at >= $2 AND l.ended_at < $3 AND l.id < $4 ORDER BY t.id LIMIT $8)
  ) AS found ORDER BY id LIMIT $8
) AS t JOIN ledger_accounts d ON d.id = t.debit_account_id JOIN ledger_accounts c ON c.id = t.credit_account_id
ORDER BY t.id`

/** The next transfers posted in [from, to), in the order of their creation. */
export async function selectPosted(
  op: Op,
  period: { readonly from: Date; readonly to: Date; readonly currency?: string },
  after: string | undefined,
  max: number,
): Promise<PostedRow[]> {
  const { from, to, currency } = period
  const { rows } = await op.db.query<PostedRow>(POSTED, [
    extractUuid(op.platform.id),
    from,
    to,
    toFirstUuidAt(from.getTime() - LATE_MS),
    toFirstUuidAt(to.getTime() + SKEW_MS),
    after === undefined ? toFirstUuidAt(0) : extractUuid(after),
    currency ?? null,
    max,
  ])
  return rows
}
