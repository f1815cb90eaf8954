import type { PaymentAccountInfoValue } from '@countersign/contract/accounts/account-types'
import type { DepositState } from '@countersign/contract/states/deposit-states'
import { sql } from 'kysely'
import { toJson } from '../../base/json/json.ts'
import type { AmountRange } from '../../kernel/operation/amount-range.ts'
import type { App, Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { OwnAccountRow } from '../../storage/rows/own-money.ts'
import type { DepositAccountRow, DepositRow } from '../../storage/rows/rail.ts'

export interface DepositFilters extends AmountRange {
  readonly status?: DepositState
  readonly rail?: string
  readonly accountId?: string
}

/** A page of the matching deposits. */
export function selectDeposits(op: Op, { status, rail, accountId, ...range }: DepositFilters) {
  return op.read
    .selectFrom('deposits')
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'state', '=', status))
    .$call((q) => whereIfDefined(q, 'rail', '=', rail))
    .$call((q) => whereIfDefined(q, 'account_id', '=', accountId))
    .$call((q) => whereIfDefined(q, 'currency', '=', range.currency))
    .$call((q) => whereIfDefined(q, 'amount', '>=', range.amountMin))
    .$call((q) => whereIfDefined(q, 'amount', '<=', range.amountMax))
    .selectAll()
}

export async function selectParts(op: Op, id: string): Promise<DepositRow[]> {
  return op.read
    .selectFrom('deposits')
    .where('platform_id', '=', op.platform.id)
    .where('parent_id', '=', id)
    .orderBy('id')
    .selectAll()
    .execute()
}

/**
 * The deposit accounts with this id at the rail. There are several if payers share the account; at most two
 * are returned.
 */
export async function selectDepositAccountsByReference(
  op: Op,
  rail: string,
  railReference: string,
): Promise<DepositAccountRow[]> {
  return op.read
    .selectFrom('deposit_accounts')
    .where('platform_id', '=', op.platform.id)
    .where('rail', '=', rail)
    .where('rail_reference', '=', railReference)
    .where('matching', '=', 'ACCOUNT')
    .limit(2)
    .selectAll()
    .execute()
}

/** The external account that a rail opened for an internal account or a pool. */
export interface OpenedAccount {
  readonly rail: string
  /** The id of the account at the rail. */
  readonly railReference: string
  readonly matching: 'ACCOUNT' | 'REFERENCE'
  readonly accountInfo: PaymentAccountInfoValue
}

/**
 * Finds another record with the same external account, if either record needs it exclusively. An account may
 * be shared only if all payers state references.
 */
export async function selectOtherOwner(
  op: Op,
  id: string,
  { rail, railReference, matching, accountInfo }: OpenedAccount,
): Promise<Pick<DepositAccountRow, 'account_id' | 'currency'> | undefined> {
  const isSame = sql<boolean>`(rail_reference = ${railReference} OR md5(account_info::text) = md5(${toJson(accountInfo)}::jsonb::text))`
  return op.read
    .selectFrom('deposit_accounts')
    .where('platform_id', '=', op.platform.id)
    .where('rail', '=', rail)
    .where('id', '<>', id)
    .where(isSame)
    .$call((q) => (matching === 'ACCOUNT' ? q : q.where('matching', '=', 'ACCOUNT')))
    .select(['account_id', 'currency'])
    .executeTakeFirst()
}

/** The internal accounts with one of these references. */
export async function selectAccountsByReference(op: Op, references: readonly string[]) {
  return op.read
    .selectFrom('deposit_accounts')
    .where('platform_id', '=', op.platform.id)
    .where('reference', 'in', references)
    .where('account_id', 'is not', null)
    .select('account_id')
    .distinct()
    .execute()
}

/** The payments of quotes funded under one of these references. */
export async function selectQuotesByReference(op: Op, references: readonly string[]) {
  return op.read
    .selectFrom('transactions')
    .where('platform_id', '=', op.platform.id)
    .where('reference', 'in', references)
    .where('kind', '=', 'QUOTE')
    .where('source_account_id', 'is', null)
    .select(['id', 'quote_id'])
    .execute()
}

/** An internal account for which a rail has opened no deposit account yet. */
export interface MissingDepositAccount {
  readonly id: string
  readonly customer_id: string | null
  readonly currency: string
  readonly updated_at: Date
}

/**
 * Up to `limit` open accounts of a platform in these currencies, changed since a time, for which this rail
 * has no record, oldest first. Excludes wallets, which are paid at their own addresses.
 */
export async function selectAccountsWithout(
  app: Pick<App, 'db'>,
  platformId: string,
  rail: string,
  currencies: readonly string[],
  since: Date,
  limit: number,
): Promise<MissingDepositAccount[]> {
  const { rows } = await app.db.query<MissingDepositAccount>(
    `SELECT id, customer_id, currency, updated_at FROM internal_accounts a
     WHERE platform_id = $1 AND updated_at >= $4 AND currency = ANY ($3) AND status = 'ACTIVE' AND type <> 'EMBEDDED_WALLET'
       AND NOT EXISTS (SELECT 1 FROM deposit_accounts d WHERE d.account_id = a.id AND d.rail = $2)
     ORDER BY updated_at, id LIMIT $5`,
    [extractUuid(platformId), rail, currencies, since, limit],
  )
  return rows
}

/** The platform's own open account in a currency. */
export async function selectPlatformAccount(op: Op, currency: string) {
  return op.read
    .selectFrom('internal_accounts')
    .where('platform_id', '=', op.platform.id)
    .where('customer_id', 'is', null)
    .where(sql.ref<string>('currency'), '=', currency)
    .where('status', '=', 'ACTIVE')
    .selectAll()
    .executeTakeFirst()
}

/** The owner of an account, even if deleted. */
export async function selectOwner(op: Op, customerId: string) {
  return op.read
    .selectFrom('customers')
    .where('platform_id', '=', op.platform.id)
    .where('id', '=', customerId)
    .select(['platform_customer_id', 'verification_status'])
    .executeTakeFirstOrThrow()
}

/** The operator's accounts registered for a purpose in a currency. */
export async function selectActiveOwnAccounts(op: Op, currency: string, purpose: OwnAccountRow['purpose']) {
  return op.read
    .selectFrom('own_accounts')
    .innerJoin('external_accounts', 'external_accounts.id', 'own_accounts.external_account_id')
    .where('own_accounts.platform_id', '=', op.platform.id)
    .where('own_accounts.state', '=', 'ACTIVE')
    .where('own_accounts.purpose', '=', purpose)
    .where('own_accounts.currency', '=', currency)
    .where('external_accounts.deleted_at', 'is', null)
    .select('external_accounts.account_info')
    .execute()
}
