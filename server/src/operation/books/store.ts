import { sql } from 'kysely'
import { LATE_MS, SKEW_MS } from '../../kernel/ledger/late-ends.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { parseOptionalTime } from '../../kernel/operation/time-range.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { lookupById, lookupByKey } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { CardTransactionRow } from '../../storage/rows/card.ts'
import type { LedgerAccountRow, LedgerTransferRow } from '../../storage/rows/ledger.ts'
import type { PaymentDecisionRow } from '../../storage/rows/rail.ts'
import { TRANSFER_INITIAL } from '../../storage/rows/states.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { shiftTime } from './shift-time.ts'

/** A listed ledger account. */
export type ListedAccount = Omit<LedgerAccountRow, 'may_overdraw' | 'event_count'>

export interface AccountFilters {
  readonly name?: string
  readonly currency?: string
  readonly owner?: string
}

/** The matching accounts of the platform's ledger. Accounts with a name always belong to the platform. */
export function selectLedgerAccounts(op: Op, { name, currency, owner }: AccountFilters) {
  return op.read
    .selectFrom('ledger_accounts')
    .select(['id', 'platform_id', 'owner', 'name', 'currency', 'normal_side', 'posted', 'held', 'is_closed'])
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'name', '=', name))
    .$if(name !== undefined, (q) => q.where('owner', '=', op.platform.id))
    .$call((q) => whereIfDefined(q, sql.ref<string>('currency'), '=', currency))
    .$call((q) => whereIfDefined(q, 'owner', '=', owner))
}

const ACCOUNT_BY_ID = lookupByKey<ListedAccount>(
  `SELECT id, platform_id, owner, name, currency, normal_side, posted, held, is_closed FROM ledger_accounts
   WHERE id = ANY ($1::uuid[])`,
  'id',
)

export async function selectLedgerAccount(op: Op, id: string): Promise<ListedAccount | undefined> {
  return op.find(ACCOUNT_BY_ID, id)
}

const TRANSFER_BY_ID = lookupById('ledger_transfers')

export async function selectTransfer(op: Op, id: string): Promise<LedgerTransferRow | undefined> {
  return op.find(TRANSFER_BY_ID, id)
}

export interface TransferFilters {
  readonly accountId?: string
  readonly startDate?: string
  readonly endDate?: string
}

/** The matching transfers. For an account, one query per side, because each side has its own index. */
export function selectTransfers(op: Op, causes: readonly string[] | undefined, filters: TransferFilters) {
  const { accountId, startDate, endDate } = filters
  const matching = op.read
    .selectFrom('ledger_transfers')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'cause_id', 'in', causes))
    .$call((q) => whereIfDefined(q, 'created_at', '>=', parseOptionalTime(startDate)))
    .$call((q) => whereIfDefined(q, 'created_at', '<=', parseOptionalTime(endDate)))
  if (accountId === undefined) return [matching]
  return [
    matching.where('debit_account_id', '=', accountId),
    matching.where('credit_account_id', '=', accountId),
  ]
}

const CARD_TRANSACTION_BY_ID = lookupById('card_transactions')

export async function selectPurchase(op: Op, id: string): Promise<CardTransactionRow | undefined> {
  return op.find(CARD_TRANSACTION_BY_ID, id)
}

const CUSTOMER_BY_ID = lookupByKey<Pick<CustomerRow, 'id' | 'platform_id' | 'details'>>(
  'SELECT id, platform_id, details FROM customers WHERE id = ANY ($1::uuid[])',
  'id',
)

/** The details of a customer, even if the customer was deleted. */
export async function selectCustomerDetails(op: Op, id: string): Promise<CustomerRow['details'] | undefined> {
  return (await op.find(CUSTOMER_BY_ID, id))?.details
}

/** The policy decisions about an action, oldest first. */
export async function selectDecisionsOfAction(
  op: Op,
  action: {
    readonly id: string
    readonly agent_id: string
    readonly created_at: Date
    readonly updated_at: Date
  },
) {
  return op.read
    .selectFrom('agent_decisions')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('agent_id', '=', action.agent_id)
    .where('created_at', '>=', action.created_at)
    .where('created_at', '<=', action.updated_at)
    .where('action_id', '=', action.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The signatures of a card's delegated key for the pulls of a purchase. */
export async function selectPullSignatures(op: Op, cardTransactionId: string) {
  return op.read
    .selectFrom('card_pull_signatures')
    .selectAll()
    .where('card_transaction_id', '=', cardTransactionId)
    .where('platform_id', '=', op.platform.id)
    .orderBy('number')
    .execute()
}

/** The public key of a delegated key. */
export async function selectPublicKey(op: Op, delegatedKeyId: string): Promise<string | undefined> {
  const row = await op.read
    .selectFrom('delegated_keys')
    .select('public_key')
    .where('id', '=', delegatedKeyId)
    .where('platform_id', '=', op.platform.id)
    .executeTakeFirst()
  return row?.public_key
}

/** A wallet's signing request, with the session that signed it. */
export interface SignedRequestRow {
  readonly id: string
  readonly platform_id: string
  readonly operation: string
  readonly payload: string
  readonly signer_public_key: string | null
  readonly stamp: string | null
  readonly session_id: string | null
  readonly credential_id: string | null
  readonly public_key: string | null
  readonly consumed_at: Date | null
  readonly expires_at: Date
  readonly created_at: Date
}

const SIGNED_REQUEST = lookupByKey<SignedRequestRow>(
  `SELECT r.id, r.platform_id, r.operation, r.payload, r.signer_public_key, r.stamp, r.session_id, r.consumed_at, r.expires_at,
     r.created_at, s.credential_id, s.public_key
   FROM signing_requests r LEFT JOIN sessions s ON s.id = r.session_id WHERE r.id = ANY ($1::uuid[])`,
  'id',
)

export async function selectSignedRequest(op: Op, id: string): Promise<SignedRequestRow | undefined> {
  return op.find(SIGNED_REQUEST, id)
}

/**
 * The subquery for both sides of the transfers of account `a`: those created in [$2, $3), and older ones that
 * ended late, at or after $4. `select` lists columns and may contain SIGN, the sign of the side; `where` is a
 * condition.
 */
function bothSides(select: string, where: string): string {
  const side = (name: 'debit' | 'credit', sign: '-' | '+') => {
    const columns = select.replaceAll('SIGN', sign)
    const isDebit = name === 'debit'
    return `SELECT ${columns}, ${isDebit} AS is_debit FROM ledger_transfers t
        WHERE t.${name}_account_id = a.id AND t.created_at >= $2 AND t.created_at < $3 AND ${where}
      UNION ALL
      SELECT ${columns}, ${isDebit} FROM ledger_late_ends l JOIN ledger_transfers t ON t.id = l.id
        WHERE l.${name}_account_id = a.id AND l.ended_at >= $4 AND t.created_at < $2 AND ${where}`
  }
  return `${side('debit', '-')} UNION ALL ${side('credit', '+')}`
}

/** A movement on an account, positive if it adds money. */
export interface MovementRow {
  readonly id: string
  readonly change: bigint
  readonly cause: string
  readonly cause_id: string
  readonly created_at: Date
  readonly ended_at: Date
}

const MOVEMENTS = `
SELECT m.* FROM (SELECT $1::uuid AS id) a CROSS JOIN LATERAL (${bothSides(
  't.id, SIGN t.amount AS change, t.cause, t.cause_id, t.created_at, t.ended_at',
  "t.platform_id = $6 AND t.state = 'posted' AND t.ended_at >= $4 AND t.ended_at < $5",
)}) m
ORDER BY m.ended_at, m.is_debit, m.id LIMIT $7`

/**
 * The postings to an account in [from, to), in booking order: at the same moment, credits come first. Reads
 * transfers created since a day before `from`, and older ones that ended late.
 */
export async function selectMovements(
  op: Op,
  accountId: string,
  from: Date,
  to: Date,
  max: number,
): Promise<MovementRow[]> {
  const parameters = [
    extractUuid(accountId),
    shiftTime(from, -LATE_MS),
    shiftTime(to, SKEW_MS),
    from,
    to,
    extractUuid(op.platform.id),
    max,
  ]
  return (await op.db.query<MovementRow>(MOVEMENTS, parameters)).rows
}

/** A pending transfer out of an account, or one that was pending at a given time. */
export type HoldRow = Pick<LedgerTransferRow, 'id' | 'amount' | 'cause' | 'cause_id' | 'created_at'>

/** The holds of an account at a time, newest first, among transfers created in a window before that time. */
export async function selectHolds(
  op: Op,
  accountId: string,
  at: Date,
  createdIn: { readonly from: Date; readonly before: Date },
  max: number,
): Promise<HoldRow[]> {
  return op.read
    .selectFrom('ledger_transfers')
    .select(['id', 'amount', 'cause', 'cause_id', 'created_at'])
    .where('debit_account_id', '=', accountId)
    .where('platform_id', '=', op.platform.id)
    .where('created_at', '>=', createdIn.from)
    .where('created_at', '<', createdIn.before)
    .where((eb) => eb.or([eb('state', '=', TRANSFER_INITIAL), eb('ended_at', '>=', at)]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(max)
    .execute()
}

/** The balances of an account on its normal side. */
export interface BalancesRow {
  readonly id: string
  readonly posted: bigint
  readonly held: bigint
}

const SIGN = "CASE a.normal_side WHEN 'credit' THEN 1 ELSE -1 END"

/**
 * $4 is the time. Subtracts later postings from the current balance; transfers that have ended since then
 * count as held.
 */
const BACK_FROM_NOW = `
SELECT a.id, (a.posted - ${SIGN} * coalesce(m.posted_since, 0))::bigint AS posted,
  (a.held - coalesce(m.held_since, 0) + coalesce(m.held_then, 0))::bigint AS held
FROM ledger_accounts a CROSS JOIN LATERAL (
  SELECT sum(s.change) FILTER (WHERE s.state = 'posted' AND s.ended_at >= $4) AS posted_since,
    sum(- s.change) FILTER (WHERE s.is_debit AND s.created_at >= $4 AND s.state = 'pending') AS held_since,
    sum(- s.change) FILTER (WHERE s.is_debit AND s.created_at < $4 AND s.ended_at >= $4) AS held_then
  FROM (${bothSides('SIGN t.amount AS change, t.state, t.created_at, t.ended_at', 'true')}) s
) m
WHERE a.id = ANY ($1::uuid[]) AND a.platform_id = $5`

/** Sums up all postings before the time, and all transfers that were pending at that time. */
const FROM_BEGINNING = `
SELECT a.id, (${SIGN} * coalesce(m.posted, 0))::bigint AS posted, coalesce(m.held, 0)::bigint AS held
FROM ledger_accounts a CROSS JOIN LATERAL (
  SELECT sum(s.change) FILTER (WHERE s.state = 'posted' AND s.ended_at < $2) AS posted,
    sum(- s.change) FILTER (WHERE s.is_debit AND s.created_at < $2 AND (s.ended_at IS NULL OR s.ended_at >= $2)) AS held
  FROM (
    SELECT - t.amount AS change, t.state, t.created_at, t.ended_at, true AS is_debit FROM ledger_transfers t
      WHERE t.debit_account_id = a.id AND t.created_at < $3
    UNION ALL
    SELECT t.amount, t.state, t.created_at, t.ended_at, false FROM ledger_transfers t
      WHERE t.credit_account_id = a.id AND t.created_at < $3
  ) s
) m
WHERE a.id = ANY ($1::uuid[]) AND a.platform_id = $4`

/** A time after any possible transfer. */
const NEVER = new Date('9999-12-31T23:59:59.999Z')

/** The balances of accounts at a time, computed backward from now. One SQL statement reads one snapshot. */
export async function selectBalancesBack(op: Op, ids: readonly string[], at: Date): Promise<BalancesRow[]> {
  const parameters = [ids.map(extractUuid), shiftTime(at, -LATE_MS), NEVER, at, extractUuid(op.platform.id)]
  return (await op.db.query<BalancesRow>(BACK_FROM_NOW, parameters)).rows
}

/** The balances of accounts at a time, computed forward from the platform's first transfer. */
export async function selectBalancesForth(op: Op, ids: readonly string[], at: Date): Promise<BalancesRow[]> {
  const parameters = [ids.map(extractUuid), at, shiftTime(at, SKEW_MS), extractUuid(op.platform.id)]
  return (await op.db.query<BalancesRow>(FROM_BEGINNING, parameters)).rows
}

/** The decisions about a payment, oldest first, without proposals. */
export async function selectPaymentDecisions(op: Op, transactionId: string): Promise<PaymentDecisionRow[]> {
  return op.read
    .selectFrom('payment_decisions')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('transaction_id', '=', transactionId)
    .where('is_proposal', '=', false)
    .orderBy('place')
    .execute()
}
