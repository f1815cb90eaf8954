import { sql } from 'kysely'
import type { Hex } from '../../base/formats/hex.ts'
import { lookupById, lookupByIdInTable } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { LedgerAccountRow } from '../../storage/rows/ledger.ts'
import type { CustomerRow, ExternalAccountRow, InternalAccountRow } from '../../storage/rows/tables.ts'
import { getOwnCustomerId, type Op } from '../operation/app.ts'

export interface AccountFilters {
  readonly currency?: string
  readonly type?: InternalAccountRow['type']
  readonly customerId?: string
}

function ofPlatform(op: Op) {
  return op.read.selectFrom('internal_accounts').where('platform_id', '=', op.platform.id)
}

function filterAccounts(op: Op, { currency, type, customerId }: AccountFilters) {
  return ofPlatform(op)
    .$call((q) => whereIfDefined(q, sql.ref<string>('currency'), '=', currency))
    .$call((q) => whereIfDefined(q, 'type', '=', type))
    .$call((q) => whereIfDefined(q, 'customer_id', '=', customerId))
}

const BY_ID = lookupById('internal_accounts')

export async function selectInternalAccount(op: Op, id: string): Promise<InternalAccountRow | undefined> {
  return op.find(BY_ID, id)
}

const CUSTOMER_BY_ID = lookupById('customers')
const EXTERNAL_BY_ID = lookupById('external_accounts')

/** Finds a customer, deleted or not. */
export async function selectCustomerToName(op: Op, id: string): Promise<CustomerRow | undefined> {
  return op.find(CUSTOMER_BY_ID, id)
}

/** Finds an external account, deleted or not. */
export async function selectExternalAccountToName(
  op: Op,
  id: string,
): Promise<ExternalAccountRow | undefined> {
  return op.find(EXTERNAL_BY_ID, id)
}

/** An account with its balances and customer. The customer is null for the platform's own accounts. */
export type OwnedAccountRow = InternalAccountRow &
  Pick<LedgerAccountRow, 'posted' | 'held'> & {
    readonly [Column in 'platform_customer_id' | 'verification_status']: CustomerRow[Column] | null
  } & { readonly owner_deleted_at: Date | null }

// OFFSET 0 keeps the planner from reordering the joins, so that rows are always read by id.
const OWNED_BY_ID = lookupByIdInTable<OwnedAccountRow>(
  'internal_accounts',
  `SELECT a.*, l.posted, l.held, c.platform_customer_id, c.verification_status, c.deleted_at AS owner_deleted_at
   FROM internal_accounts a
   CROSS JOIN LATERAL (SELECT posted, held FROM ledger_accounts WHERE id = a.id OFFSET 0) l
   LEFT JOIN LATERAL (
     SELECT platform_customer_id, verification_status, deleted_at FROM customers WHERE id = a.customer_id OFFSET 0) c ON true
   WHERE a.id = ANY ($1::uuid[])`,
)

export async function selectOwnedAccount(op: Op, id: string): Promise<OwnedAccountRow | undefined> {
  return op.find(OWNED_BY_ID, id)
}

/** The customers' accounts that match the filters, for one page. */
export function selectCustomerAccounts(op: Op, filters: AccountFilters) {
  return filterAccounts(op, filters).selectAll().where('customer_id', 'is not', null)
}

/** The matching accounts of customers that the caller may see. */
export function selectSeenAccounts(op: Op, filters: AccountFilters) {
  return whereIfDefined(selectCustomerAccounts(op, filters), 'customer_id', '=', getOwnCustomerId(op))
}

/** Finds the wallet at an address on the chain of a rail. */
export async function selectWalletAt(
  op: Op,
  rail: string,
  address: Hex,
): Promise<InternalAccountRow | undefined> {
  return op.read
    .selectFrom('chain_addresses')
    .innerJoin('internal_accounts', 'internal_accounts.id', 'chain_addresses.owner_id')
    .where('chain_addresses.rail', '=', rail)
    .where('chain_addresses.address', '=', address)
    .where('chain_addresses.role', '=', 'WALLET')
    .where('internal_accounts.platform_id', '=', op.platform.id)
    .selectAll('internal_accounts')
    .executeTakeFirst()
}

/** The platform's own accounts, oldest first. */
export async function selectPlatformAccounts(op: Op, filters: AccountFilters): Promise<InternalAccountRow[]> {
  return filterAccounts(op, filters)
    .selectAll()
    .where('customer_id', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}
