import { sql } from 'kysely'
import { getOwnCustomerId, type Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { lookupById, lookupByIdInTable } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'

/** A customer's id, or null for the platform itself. */
export type Owner = string | null

export interface ExternalAccountFilters {
  readonly currency?: string
  readonly customerId?: string
}

/**
 * The owner key of the platform. Not the nil UUID, which stands for a string that is not an id and must not
 * find any accounts.
 */
const PLATFORM = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Equals the expression of the unique index, so that queries use the index. */
const ownerColumn = sql<string>`coalesce(customer_id, ${sql.lit(PLATFORM)})`

function toOwnerKey(owner: Owner): string {
  return owner === null ? PLATFORM : extractUuid(owner)
}

function selectLive(op: Op) {
  return op.read
    .selectFrom('external_accounts')
    .where('platform_id', '=', op.platform.id)
    .where('deleted_at', 'is', null)
}

const LIVE_BY_ID = lookupByIdInTable<ExternalAccountRow>(
  'external_accounts',
  'SELECT * FROM external_accounts WHERE id = ANY ($1::uuid[]) AND deleted_at IS NULL',
)

export async function selectExternalAccount(op: Op, id: string): Promise<ExternalAccountRow | undefined> {
  return op.find(LIVE_BY_ID, id)
}

const BY_ID = lookupById('external_accounts')

/** An external account, even if deleted. */
export async function selectExternalAccountEver(op: Op, id: string): Promise<ExternalAccountRow | undefined> {
  return op.find(BY_ID, id)
}

/** The owner's account with this fingerprint: the same account, however its details are written. */
export async function selectExternalAccountByFingerprint(op: Op, owner: Owner, fingerprint: string) {
  return selectLive(op)
    .select('id')
    .where(ownerColumn, '=', toOwnerKey(owner))
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
}

/** True if a customer has an account with one of these identifiers. */
export async function selectHasCustomerAccount(op: Op, identifiers: readonly string[]): Promise<boolean> {
  const found = await selectLive(op)
    .select('id')
    .where('identifier', 'in', identifiers)
    .where('customer_id', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** The account that receives payments to a customer's UMA address. */
export async function selectDefaultUmaDepositAccount(op: Op, customerId: string) {
  return selectLive(op)
    .select('id')
    .where('customer_id', '=', customerId)
    .where('default_uma_deposit', '=', true)
    .executeTakeFirst()
}

/** A page of the accounts of one customer, or of all customers that the caller may see. */
export function selectCustomerExternalAccounts(op: Op, { currency, customerId }: ExternalAccountFilters) {
  const rows = selectLive(op)
    .selectAll()
    .$call((q) => whereIfDefined(q, 'currency', '=', currency))
    .$call((q) => whereIfDefined(q, 'customer_id', '=', getOwnCustomerId(op)))
  return customerId === undefined
    ? rows.where('customer_id', 'is not', null)
    : rows.where(ownerColumn, '=', toOwnerKey(customerId))
}

/** A page of the platform's own accounts. */
export function selectPlatformExternalAccounts(op: Op, { currency }: ExternalAccountFilters) {
  return selectLive(op)
    .selectAll()
    .where(ownerColumn, '=', toOwnerKey(null))
    .$call((q) => whereIfDefined(q, 'currency', '=', currency))
}
