import { sql } from 'kysely'
import type { Op } from '../app.ts'
import { rowByKey } from '../db/lookup.ts'
import type { CredentialRow, CustomerRow } from '../db/schema/tables.ts'
import { toJson } from '../json.ts'
import type { TimeRange } from '../time-range.ts'

export interface CustomerFilters {
  readonly platformCustomerId?: string
  readonly customerType?: CustomerRow['customer_type']
  readonly region?: string
  readonly currency?: string
  readonly umaAddress?: string
  readonly isIncludingDeleted?: boolean
  readonly times: TimeRange
}

function ofPlatform(op: Op) {
  return op.read.selectFrom('customers').where('platform_id', '=', op.platform.id)
}

const BY_ID = rowByKey<CustomerRow>('SELECT * FROM customers WHERE id = ANY ($1::text[])', 'id')

export async function selectCustomer(op: Op, id: string): Promise<CustomerRow | undefined> {
  return op.find(BY_ID, id)
}

/**
 * Customers that have this id of the platform's own or this address, read at one moment. A deleted customer has given
 * its id back but keeps its address, so that nobody is paid in its place.
 */
export async function selectHolders(op: Op, platformCustomerId: string, umaAddress: string) {
  return ofPlatform(op)
    .select(['id', 'platform_customer_id', 'uma_address', 'deleted_at'])
    .where((eb) =>
      eb.or([
        eb.and([eb('platform_customer_id', '=', platformCustomerId), eb('deleted_at', 'is', null)]),
        eb('uma_address', '=', umaAddress),
      ]),
    )
    .execute()
}

/** The customers that match, for a page of them. */
export function selectCustomers(op: Op, filters: CustomerFilters) {
  const { platformCustomerId, customerType, region, currency, umaAddress, isIncludingDeleted } = filters
  const { createdAfter, createdBefore, updatedAfter, updatedBefore } = filters.times
  return ofPlatform(op)
    .selectAll()
    .$if(platformCustomerId !== undefined, (q) => q.where('platform_customer_id', '=', platformCustomerId!))
    .$if(customerType !== undefined, (q) => q.where('customer_type', '=', customerType!))
    .$if(region !== undefined, (q) => q.where('region', '=', region!))
    .$if(currency !== undefined, (q) => q.where(sql<boolean>`currencies @> ${toJson([currency])}::jsonb`))
    .$if(umaAddress !== undefined, (q) => q.where('uma_address', '=', umaAddress!))
    .$if(!isIncludingDeleted, (q) => q.where('deleted_at', 'is', null))
    .$if(createdAfter !== undefined, (q) => q.where('created_at', '>', createdAfter!))
    .$if(createdBefore !== undefined, (q) => q.where('created_at', '<', createdBefore!))
    .$if(updatedAfter !== undefined, (q) => q.where('updated_at', '>', updatedAfter!))
    .$if(updatedBefore !== undefined, (q) => q.where('updated_at', '<', updatedBefore!))
}

/** Live EMAIL_OTP credentials of wallets of this platform's customers whose address this is, in any case. */
function emailCredentials(op: Op, email: string) {
  return op.read
    .selectFrom('credentials')
    .innerJoin('internal_accounts', 'internal_accounts.id', 'credentials.account_id')
    .where('credentials.platform_id', '=', op.platform.id)
    .where('credentials.type', '=', 'EMAIL_OTP')
    .where('credentials.revoked_at', 'is', null)
    .where(sql<boolean>`lower(credentials.contact) = lower(${email})`)
}

/** The credentials that one customer signs in with by this address, oldest first. */
export async function selectEmailCredentials(
  op: Op,
  customerId: string,
  email: string,
): Promise<CredentialRow[]> {
  return emailCredentials(op, email)
    .selectAll('credentials')
    .where('internal_accounts.customer_id', '=', customerId)
    .orderBy('credentials.created_at')
    .orderBy('credentials.id')
    .execute()
}

/** Whether another customer, not deleted, signs in by this address. */
export async function selectIsEmailTaken(op: Op, customerId: string, email: string): Promise<boolean> {
  const other = await emailCredentials(op, email)
    .innerJoin('customers', 'customers.id', 'internal_accounts.customer_id')
    .select('credentials.id')
    .where('customers.id', '<>', customerId)
    .where('customers.deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/** The sessions that can still sign for a customer's wallets. */
export async function selectActiveSessionIds(op: Op, customerId: string): Promise<string[]> {
  const sessions = await op.read
    .selectFrom('sessions')
    .innerJoin('internal_accounts', 'internal_accounts.id', 'sessions.account_id')
    .select('sessions.id')
    .where('internal_accounts.customer_id', '=', customerId)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', op.now)
    .execute()
  return sessions.map((session) => session.id)
}

/** The credentials by which someone can sign in to a customer's wallets. */
export async function selectLiveCredentialIds(op: Op, customerId: string): Promise<string[]> {
  const credentials = await op.read
    .selectFrom('credentials')
    .innerJoin('internal_accounts', 'internal_accounts.id', 'credentials.account_id')
    .select('credentials.id')
    .where('internal_accounts.customer_id', '=', customerId)
    .where('credentials.revoked_at', 'is', null)
    .execute()
  return credentials.map((credential) => credential.id)
}

export interface FilledAccount {
  readonly id: string
  readonly currency: string
  readonly posted: bigint
  readonly held: bigint
}

/** A customer's accounts that hold something, oldest first. */
export async function selectFilledAccounts(
  op: Op,
  customerId: string,
  limit: number,
): Promise<FilledAccount[]> {
  return op.read
    .selectFrom('internal_accounts')
    .innerJoin('ledger_accounts', 'ledger_accounts.id', 'internal_accounts.id')
    .select(['internal_accounts.id', 'internal_accounts.currency', 'posted', 'held'])
    .where('customer_id', '=', customerId)
    .where(({ or, eb }) => or([eb('posted', '<>', 0n), eb('held', '<>', 0n)]))
    .orderBy('internal_accounts.created_at')
    .orderBy('internal_accounts.id')
    .limit(limit)
    .execute()
}

export interface OpenPayment {
  readonly id: string
  readonly kind: 'transaction' | 'cardTransaction'
  readonly status: string
  readonly card_id: string | null
}

/** What is still to move money of a customer, as the guard of a deletion has it (`0019-closed-accounts.ts`). */
export async function selectOpenPayments(
  op: Op,
  customerId: string,
  kind: OpenPayment['kind'],
  limit: number,
): Promise<OpenPayment[]> {
  return op.read
    .selectFrom(sql<OpenPayment>`customer_open_payments(${customerId})`.as<'open'>(sql`open`))
    .selectAll()
    .where('open.kind', '=', kind)
    .orderBy('open.id')
    .limit(limit)
    .execute()
}
