import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { STATISTICS_INTERVALS, Waiting } from '@countersign/contract/operation/overview'
import type { Static } from 'typebox'
import { INT64_MAX } from '../../base/json/int64.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { IS_SENT, nextBeyondCursor } from '../../kernel/outbox/endpoint-feed.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { getOnlyRow } from '../../storage/engine/port.ts'
import type { TransactionRow } from '../../storage/rows/tables.ts'
import type { WebhookEndpointRow } from '../../storage/rows/webhook-endpoint.ts'

interface BalancesRow {
  readonly currency: KnownCurrency
  readonly customers: bigint
  readonly platform: bigint
}

/** The balances of internal accounts per currency, of customers and of the platform. */
export async function selectHeldBalances(op: Op): Promise<BalancesRow[]> {
  const sum = (ownerOperator: string) =>
    `least(coalesce(sum(posted) FILTER (WHERE owner ${ownerOperator} $1), 0), ${INT64_MAX})::bigint`
  const { rows } = await op.db.query<BalancesRow>(
    `SELECT currency, ${sum('<>')} AS customers, ${sum('=')} AS platform
     FROM ledger_accounts WHERE platform_id = $1 AND name IS NULL GROUP BY currency ORDER BY currency`,
    [extractUuid(op.platform.id)],
  )
  return rows
}

/** The number of records of a kind that wait for a decision, and the time of the oldest. */
export interface WaitingRow {
  readonly kind: keyof Static<typeof Waiting>
  readonly count: bigint
  readonly since: Date | null
}

const waitingQuery = (kind: WaitingRow['kind'], table: string, condition: string, since = 'created_at') =>
  `SELECT '${kind}' AS kind, id, ${since} AS since FROM ${table} WHERE platform_id = $1 AND ${condition}`

/** A deposit whose screening waits for a decision is counted only once, as a screening. */
const WITHOUT_HIT =
  "NOT EXISTS (SELECT 1 FROM screenings s WHERE s.platform_id = $1 AND s.state = 'WAITING' AND s.deposit_id = deposits.id)"

/**
 * The records on platform $1 that wait for a decision at the time $2. Pending incoming payments and holds are
 * found through the jobs that expire them, because an index on their state would slow down every payment.
 */
const WAITING = `
  ${waitingQuery('approvals', 'agent_actions', "state = 'PENDING_APPROVAL'")}
  UNION ALL ${waitingQuery('approvals', 'payout_batches', "state = 'AWAITING_APPROVAL'")}
  UNION ALL ${waitingQuery('approvals', 'payment_schedules', "state = 'AWAITING_APPROVAL'")}
  UNION ALL ${waitingQuery('approvals', 'own_accounts', "state = 'AWAITING_APPROVAL'")}
  UNION ALL ${waitingQuery('approvals', 'platform_withdrawals', "state = 'AWAITING_APPROVAL'")}
  UNION ALL ${waitingQuery('approvals', 'treasury_movements', "state = 'AWAITING_APPROVAL'")}
  UNION ALL ${waitingQuery('approvals', 'treasury_keys', "state = 'AWAITING_APPROVAL'")}
  UNION ALL SELECT 'approvals', c.id, c.created_at
    FROM account_changes c JOIN external_accounts x ON x.id = c.external_account_id
    WHERE c.platform_id = $1 AND c.state = 'PENDING' AND x.deleted_at IS NULL
  UNION ALL SELECT 'approvals', t.id, t.created_at
    FROM jobs j JOIN transactions t ON t.id = right(j.payload->>'transactionId', 36)::uuid
    WHERE j.platform_id = $1 AND j.kind = 'receipt.expire' AND j.due_at > $2 AND t.state = 'PENDING'
  UNION ALL SELECT 'approvals', h.id, h.created_at
    FROM jobs j JOIN funds_holds h ON h.id = right(j.payload->>'fundsHoldId', 36)::uuid
    WHERE j.platform_id = $1 AND j.kind = 'funds-hold.release' AND h.state = 'HELD'
      AND EXISTS (SELECT 1 FROM approval_votes v WHERE v.object_id = h.id)
  UNION ALL ${waitingQuery('verifications', 'verifications', "status = 'PENDING_MANUAL_REVIEW'")}
  UNION ALL ${waitingQuery('screenings', 'screenings', "state = 'WAITING'")}
  UNION ALL ${waitingQuery('deposits', 'deposits', `state = 'SUSPENSE' AND ${WITHOUT_HIT}`)}
  UNION ALL ${waitingQuery('railEvents', 'rail_events', "state = 'WAITING'")}
  UNION ALL ${waitingQuery('reconciliations', 'rail_statements', "state = 'DIFFERENT'", 'received_at')}`

export async function selectWaiting(op: Op): Promise<WaitingRow[]> {
  const { rows } = await op.db.query<WaitingRow>(
    `SELECT kind, count(*) AS count, min(since) AS since FROM (${WAITING}) AS waiting GROUP BY kind`,
    [extractUuid(op.platform.id), op.now],
  )
  return rows
}

/** Up to `max` waiting records of these kinds that the member has not voted about, newest first. */
export async function selectWaitingFor(
  op: Op,
  memberId: string,
  kinds: readonly WaitingRow['kind'][],
  max: number,
): Promise<{ readonly kind: WaitingRow['kind']; readonly id: string }[]> {
  const { rows } = await op.db.query<{ kind: WaitingRow['kind']; id: string }>(
    `SELECT kind, id FROM (${WAITING}) AS waiting
     WHERE kind = ANY ($3::text[]) AND NOT EXISTS (SELECT 1 FROM approval_votes AS v
       WHERE v.member_id = $4 AND (v.object_id = waiting.id OR v.deposit_id = waiting.id))
     ORDER BY since DESC, id DESC LIMIT $5`,
    [extractUuid(op.platform.id), op.now, kinds, extractUuid(memberId), max],
  )
  return rows
}

/** The date of a rail's latest statement in a currency. */
export interface StatementAge {
  readonly rail: string
  readonly currency: string
  readonly received_at: Date
}

export async function selectStatementAges(op: Op): Promise<StatementAge[]> {
  const { rows } = await op.db.query<StatementAge>(
    `SELECT DISTINCT ON (rail, currency) rail, currency, received_at FROM rail_statements
     WHERE platform_id = $1 AND state <> 'WAITING' ORDER BY rail, currency, date DESC`,
    [extractUuid(op.platform.id)],
  )
  return rows
}

interface FollowedRow {
  readonly rail: string
  readonly followed_block: bigint
  readonly followed_time: Date
}

export async function selectChains(op: Op): Promise<FollowedRow[]> {
  const { rows } = await op.db.query<FollowedRow>(
    'SELECT rail, followed_block, followed_time FROM chains WHERE platform_id = $1 ORDER BY rail',
    [extractUuid(op.platform.id)],
  )
  return rows
}

interface ProofsRow {
  readonly unchained: bigint
  readonly checkpoint_at: Date | null
}

/** Longer queues are not counted completely. */
const UNCHAINED_READ_MAX = 10_000

/** The number of transfers that are not in the hash chain yet, and the last checkpoint. */
export async function selectProofs(op: Op): Promise<ProofsRow> {
  const { rows } = await op.db.query<ProofsRow>(
    `SELECT (SELECT coalesce(sum(cardinality(transfer_ids)), 0) FROM (
         SELECT transfer_ids FROM proof_queue WHERE platform_id = $1 LIMIT ${UNCHAINED_READ_MAX}) AS queue)::bigint AS unchained,
       (SELECT max(created_at) FROM ledger_checkpoints WHERE platform_id = $1) AS checkpoint_at`,
    [extractUuid(op.platform.id)],
  )
  return getOnlyRow(rows)
}

interface DeliveriesRow {
  readonly pending: bigint
  readonly failed: bigint
  readonly last_delivered_at: Date | null
  readonly disabled_reason: WebhookEndpointRow['disabled_reason']
}

/** The maximum number of pending events to count. */
const PENDING_MAX = 10_000

/** Counts the deliveries to the `webhookEndpoint`. `failed` counts only failures since a time. */
export async function selectDeliveries(op: Op, failedSince: Date): Promise<DeliveriesRow> {
  const { rows } = await op.db.query<DeliveriesRow>(
    `WITH own AS (
       SELECT * FROM webhook_endpoints WHERE platform_id = $1 AND role <> 'ADDED' AND deleted_at IS NULL),
     undelivered AS (
       SELECT u.gave_up_at FROM undelivered_events u JOIN own AS e ON e.id = u.endpoint_id)
     SELECT (SELECT count(*) FROM undelivered WHERE gave_up_at IS NULL)
         + (SELECT count(*) FROM own AS e CROSS JOIN LATERAL ${nextBeyondCursor(PENDING_MAX)} WHERE ${IS_SENT}) AS pending,
       (SELECT count(*) FROM undelivered WHERE gave_up_at >= $2) AS failed,
       (SELECT max(last_delivered_at) FROM own) AS last_delivered_at,
       (SELECT disabled_reason FROM own WHERE role = 'CONFIGURED') AS disabled_reason`,
    [extractUuid(op.platform.id), failedSince],
  )
  return getOnlyRow(rows)
}

interface StatisticRow {
  readonly start: Date
  readonly currency: KnownCurrency
  readonly type: TransactionRow['type']
  readonly state: TransactionRow['state']
  readonly count: bigint
  readonly amount: bigint
}

/** Counts payments per interval of their creation time, from `start` until before `end`. */
export async function selectStatistics(
  op: Op,
  interval: (typeof STATISTICS_INTERVALS)[number],
  timeZone: string,
  start: Date,
  end: Date,
): Promise<StatisticRow[]> {
  const { rows } = await op.db.query<StatisticRow>(
    `SELECT date_trunc($2, t.created_at, $3) AS start, side.currency, t.type, t.state, count(*) AS count,
       least(coalesce(sum(side.amount), 0), ${INT64_MAX})::bigint AS amount
     FROM transactions t, LATERAL (SELECT
       CASE WHEN (t.type = 'OUTGOING' AND t.sent_amount IS NOT NULL) OR t.received_amount IS NULL
         THEN t.sent_currency ELSE t.received_currency END AS currency,
       CASE WHEN (t.type = 'OUTGOING' AND t.sent_amount IS NOT NULL) OR t.received_amount IS NULL
         THEN t.sent_amount ELSE t.received_amount END AS amount) AS side
     WHERE t.platform_id = $1 AND t.created_at >= $4 AND t.created_at < $5 AND side.currency IS NOT NULL
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
    [extractUuid(op.platform.id), interval.toLowerCase(), timeZone, start, end],
  )
  return rows
}
