import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { LATE_MS, SKEW_MS } from '../../kernel/ledger/late-ends.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { extractUuid, toFirstUuidAt } from '../../storage/engine/ids.ts'
import type { Database } from '../../storage/engine/port.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { ClientMoneyReportRow } from '../../storage/rows/accounting.ts'
import type { RailStatementRow } from '../../storage/rows/reconciliation.ts'

const REPORT_BY_ID = lookupById('client_money_reports')

export async function selectReport(op: Op, id: string): Promise<ClientMoneyReportRow | undefined> {
  return op.find(REPORT_BY_ID, id)
}

export async function selectReportByDate(op: Op, date: string): Promise<ClientMoneyReportRow | undefined> {
  return op.read
    .selectFrom('client_money_reports')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('date', '=', date)
    .executeTakeFirst()
}

export interface ReportFilters {
  readonly startDate?: string
  readonly endDate?: string
}

export function selectReports(op: Op, { startDate, endDate }: ReportFilters) {
  return op.read
    .selectFrom('client_money_reports')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'date', '>=', startDate))
    .$call((q) => whereIfDefined(q, 'date', '<=', endDate))
}

/** A platform that lacks yesterday's report. `last_date` is null if it has no report at all. */
export interface DuePlatform {
  readonly platform_id: string
  readonly last_date: string | null
  readonly created_at: Date
}

/**
 * Open platforms with ledger entries that lack a report of the last day that ended on their own clock at
 * `now`.
 */
export async function findDuePlatforms(db: Database, now: Date): Promise<DuePlatform[]> {
  const { rows } = await db.query<DuePlatform>(
    `SELECT p.id AS platform_id, r.date AS last_date, p.created_at
     FROM platforms AS p
       LEFT JOIN LATERAL (SELECT date FROM client_money_reports WHERE platform_id = p.id ORDER BY date DESC LIMIT 1) AS r ON true
     WHERE p.closed_at IS NULL AND EXISTS (SELECT 1 FROM proof_blocks WHERE platform_id = p.id)
       AND coalesce(r.date, to_char(p.created_at AT TIME ZONE 'UTC' - interval '1 day', 'YYYY-MM-DD')) <
         to_char(($1::timestamptz + p.clock_offset_ms * interval '1 millisecond') AT TIME ZONE 'UTC' - interval '1 day', 'YYYY-MM-DD')`,
    [now],
  )
  return rows
}

/** The total of all balances of one kind of account in a currency, on the normal side. */
export interface KindBalance {
  /** Null for internal accounts. */
  readonly name: string | null
  /** False for accounts of customers. */
  readonly isOwn: boolean
  readonly currency: KnownCurrency
  readonly posted: bigint
  readonly held: bigint
}

/**
 * $2 is the time, $3 the first possible id of a transfer created a day before it. Subtracts later postings
 * from the current balances; transfers that ended later count as held. One SQL statement reads one snapshot.
 */
const BALANCES_AT = `
WITH later AS MATERIALIZED (
  SELECT debit_account_id, credit_account_id, amount, state, created_at, ended_at FROM ledger_transfers
    WHERE platform_id = $1 AND id >= $3
  UNION ALL
  SELECT t.debit_account_id, t.credit_account_id, t.amount, t.state, t.created_at, t.ended_at
    FROM ledger_late_ends l JOIN ledger_transfers t ON t.id = l.id
    WHERE l.platform_id = $1 AND l.ended_at >= $2 AND l.id < $3
), changes AS (
  SELECT account_id, sum(posted) AS posted, sum(held) AS held
  FROM (
    SELECT debit_account_id AS account_id,
      CASE WHEN state = 'posted' AND ended_at >= $2 THEN - amount ELSE 0 END AS posted,
      CASE WHEN state = 'pending' AND created_at >= $2 THEN - amount
        WHEN created_at < $2 AND ended_at >= $2 THEN amount ELSE 0 END AS held
    FROM later
    UNION ALL
    SELECT credit_account_id, CASE WHEN state = 'posted' AND ended_at >= $2 THEN amount ELSE 0 END, 0 FROM later
  ) AS moved GROUP BY 1
)
SELECT a.name, a.owner = a.platform_id AS "isOwn", a.currency,
  sum(a.posted - CASE a.normal_side WHEN 'credit' THEN 1 ELSE -1 END * coalesce(c.posted, 0))::bigint AS posted,
  sum(a.held + coalesce(c.held, 0))::bigint AS held
FROM ledger_accounts AS a LEFT JOIN changes AS c ON c.account_id = a.id
WHERE a.platform_id = $1 GROUP BY 1, 2, 3 ORDER BY a.currency, 1`

/** The balances of all accounts at a time, summed up by kind. Reads all transfers since then. */
export async function selectBalancesAt(op: Op, at: Date): Promise<KindBalance[]> {
  const { rows } = await op.db.query<KindBalance>(BALANCES_AT, [
    extractUuid(op.platform.id),
    at,
    toFirstUuidAt(at.getTime() - LATE_MS - SKEW_MS),
  ])
  return rows
}

/** The latest compared statement of a rail in a currency. */
export type ComparedStatement = Pick<
  RailStatementRow,
  'rail' | 'currency' | 'date' | 'closing' | 'balance' | 'differences'
>

/** For each rail and currency, the latest compared statement up to a day. */
export async function selectLatestStatements(op: Op, date: string): Promise<ComparedStatement[]> {
  return op.read
    .selectFrom('rail_statements')
    .distinctOn(['rail', 'currency'])
    .select(['rail', 'currency', 'date', 'closing', 'balance', 'differences'])
    .where('platform_id', '=', op.platform.id)
    .where('date', '<=', date)
    .where('state', 'in', ['BALANCED', 'DIFFERENT'])
    .orderBy('rail')
    .orderBy('currency')
    .orderBy('date', 'desc')
    .execute()
}
