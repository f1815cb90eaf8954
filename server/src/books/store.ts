import { sql } from 'kysely'
import { uuidOf } from '../db/engine/ids.ts'
import { rowByKey } from '../db/read/lookup.ts'
import { whereGiven } from '../db/read/where-given.ts'
import type { CardTransactionRow } from '../db/schema/card-tables.ts'
import type { LedgerAccountRow, LedgerTransferRow } from '../db/schema/ledger-tables.ts'
import type { CustomerRow, ExternalAccountRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'
import { timeIfGiven } from '../op/time-range.ts'
import { bothSides, LATE_MS, moved, SKEW_MS } from './both-sides.ts'

/** An account of the ledger as it is listed. */
export type ListedAccount = Omit<LedgerAccountRow, 'may_overdraw' | 'event_count'>

export interface AccountFilters {
  readonly name?: string
  readonly currency?: string
  readonly owner?: string
}

/** The accounts of the platform's ledger that match. One with a name is always the platform's own. */
export function selectLedgerAccounts(op: Op, { name, currency, owner }: AccountFilters) {
  return op.read
    .selectFrom('ledger_accounts')
    .select(['id', 'platform_id', 'owner', 'name', 'currency', 'normal_side', 'posted', 'held', 'is_closed'])
    .where('platform_id', '=', op.platform.id)
    .$if(name !== undefined, (q) => q.where('name', '=', name!).where('owner', '=', op.platform.id))
    .$call((q) => whereGiven(q, sql.ref<string>('currency'), '=', currency))
    .$call((q) => whereGiven(q, 'owner', '=', owner))
}

const ACCOUNT_BY_ID = rowByKey<ListedAccount>(
  `SELECT id, platform_id, owner, name, currency, normal_side, posted, held, is_closed FROM ledger_accounts
   WHERE id = ANY ($1::uuid[])`,
  'id',
)

export async function selectLedgerAccount(op: Op, id: string): Promise<ListedAccount | undefined> {
  return op.find(ACCOUNT_BY_ID, id)
}

const TRANSFER_BY_ID = rowByKey<LedgerTransferRow>(
  'SELECT * FROM ledger_transfers WHERE id = ANY ($1::uuid[])',
  'id',
)

export async function selectTransfer(op: Op, id: string): Promise<LedgerTransferRow | undefined> {
  return op.find(TRANSFER_BY_ID, id)
}

export interface TransferFilters {
  readonly accountId?: string
  readonly startDate?: string
  readonly endDate?: string
}

/** The transfers that match, of an account as a query for each side, because each side has its index. */
export function selectTransfers(op: Op, causes: readonly string[] | undefined, filters: TransferFilters) {
  const { accountId, startDate, endDate } = filters
  const matching = op.read
    .selectFrom('ledger_transfers')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$if(causes !== undefined, (q) => q.where('cause_id', 'in', [...causes!]))
    .$call((q) => whereGiven(q, 'created_at', '>=', timeIfGiven(startDate)))
    .$call((q) => whereGiven(q, 'created_at', '<=', timeIfGiven(endDate)))
  if (accountId === undefined) return [matching]
  return [
    matching.where('debit_account_id', '=', accountId),
    matching.where('credit_account_id', '=', accountId),
  ]
}

const EXTERNAL_ACCOUNT_BY_ID = rowByKey<ExternalAccountRow>(
  'SELECT * FROM external_accounts WHERE id = ANY ($1::uuid[])',
  'id',
)

/** An external account, deleted or not: a payment of long ago still names it. */
export async function selectExternalAccountEver(op: Op, id: string): Promise<ExternalAccountRow | undefined> {
  return op.find(EXTERNAL_ACCOUNT_BY_ID, id)
}

const CARD_TRANSACTION_BY_ID = rowByKey<CardTransactionRow>(
  'SELECT * FROM card_transactions WHERE id = ANY ($1::uuid[])',
  'id',
)

export async function selectPurchase(op: Op, id: string): Promise<CardTransactionRow | undefined> {
  return op.find(CARD_TRANSACTION_BY_ID, id)
}

const CUSTOMER_BY_ID = rowByKey<Pick<CustomerRow, 'id' | 'platform_id' | 'details'>>(
  'SELECT id, platform_id, details FROM customers WHERE id = ANY ($1::uuid[])',
  'id',
)

/** What is known of a customer, deleted or not. */
export async function selectCustomerDetails(op: Op, id: string): Promise<CustomerRow['details'] | undefined> {
  return (await op.find(CUSTOMER_BY_ID, id))?.details
}

/** The decisions about an action, which were made from its beginning to its end. */
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

/** The signatures by the key of a card for the pulls of a purchase. */
export async function selectPullSignatures(op: Op, cardTransactionId: string) {
  return op.read
    .selectFrom('card_pull_signatures')
    .selectAll()
    .where('card_transaction_id', '=', cardTransactionId)
    .where('platform_id', '=', op.platform.id)
    .orderBy('number')
    .execute()
}

/** The public key of a card's key. */
export async function selectPublicKey(op: Op, delegatedKeyId: string): Promise<string | undefined> {
  const row = await op.read
    .selectFrom('delegated_keys')
    .select('public_key')
    .where('id', '=', delegatedKeyId)
    .where('platform_id', '=', op.platform.id)
    .executeTakeFirst()
  return row?.public_key
}

/** A request that a wallet was asked to sign, with the session that has signed it. */
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

const SIGNED_REQUEST = rowByKey<SignedRequestRow>(
  `SELECT r.id, r.platform_id, r.operation, r.payload, r.signer_public_key, r.stamp, r.session_id, r.consumed_at, r.expires_at,
     r.created_at, s.credential_id, s.public_key
   FROM signing_requests r LEFT JOIN sessions s ON s.id = r.session_id WHERE r.id = ANY ($1::uuid[])`,
  'id',
)

export async function selectSignedRequest(op: Op, id: string): Promise<SignedRequestRow | undefined> {
  return op.find(SIGNED_REQUEST, id)
}

/** The balances of an account on its normal side. */
export interface BalancesRow {
  readonly id: string
  readonly posted: bigint
  readonly held: bigint
}

const SIGN = "CASE a.normal_side WHEN 'credit' THEN 1 ELSE -1 END"

/** $4: the moment. What was posted since then is taken off the balance of now, and what has ended since was held then. */
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

/** The same from the beginning: all that was posted before, and all that was made before and had not ended. */
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

/** No transfer is made after this. */
const NEVER = new Date('9999-12-31T23:59:59.999Z')

/** Balances of accounts at a moment, by one statement and so of one snapshot, read back from now. */
export async function selectBalancesBack(op: Op, ids: readonly string[], at: Date): Promise<BalancesRow[]> {
  const parameters = [ids.map(uuidOf), moved(at, -LATE_MS), NEVER, at, uuidOf(op.platform.id)]
  return (await op.db.query<BalancesRow>(BACK_FROM_NOW, parameters)).rows
}

/** The same, read from the beginning of the books. */
export async function selectBalancesForth(op: Op, ids: readonly string[], at: Date): Promise<BalancesRow[]> {
  const parameters = [ids.map(uuidOf), at, moved(at, SKEW_MS), uuidOf(op.platform.id)]
  return (await op.db.query<BalancesRow>(FROM_BEGINNING, parameters)).rows
}
