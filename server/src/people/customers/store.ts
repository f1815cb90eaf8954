import { sql } from 'kysely'
import { toJson } from '../../base/json/json.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { TimeRange } from '../../kernel/operation/time-range.ts'
import { hasWords } from '../../storage/read/has-words.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import { whenGiven, whereIfDefined } from '../../storage/read/where-given.ts'
import type { CredentialRow, CustomerRow } from '../../storage/rows/tables.ts'

export interface CustomerFilters {
  readonly platformCustomerId?: string
  readonly customerType?: CustomerRow['customer_type']
  readonly region?: string
  readonly currency?: string
  readonly verificationStatus?: CustomerRow['verification_status']
  readonly umaAddress?: string
  readonly isIncludingDeleted?: boolean
  readonly search?: string
  readonly times: TimeRange
}

function selectPlatformCustomers(op: Op) {
  return op.read.selectFrom('customers').where('platform_id', '=', op.platform.id)
}

const BY_ID = lookupById('customers')

export async function selectCustomer(op: Op, id: string): Promise<CustomerRow | undefined> {
  return op.find(BY_ID, id)
}

/**
 * Customers that hold one of these platform-assigned ids or UMA addresses, read in one statement. Deleting a
 * customer frees its id but not its address, so that nobody else receives its payments.
 */
export async function selectHolders(
  op: Op,
  platformCustomerIds: readonly string[],
  umaAddresses: readonly string[],
) {
  return selectPlatformCustomers(op)
    .select(['id', 'platform_customer_id', 'uma_address', 'deleted_at'])
    .where((eb) =>
      eb.or([
        eb.and([
          eb('platform_customer_id', '=', sql<string>`ANY (${platformCustomerIds}::text[])`),
          eb('deleted_at', 'is', null),
        ]),
        eb('uma_address', '=', sql<string>`ANY (${umaAddresses}::text[])`),
      ]),
    )
    .execute()
}

/** A page of the matching customers. */
export function selectCustomers(op: Op, filters: CustomerFilters) {
  const { platformCustomerId, customerType, region, currency, umaAddress, isIncludingDeleted, search } =
    filters
  const { createdAfter, createdBefore, updatedAfter, updatedBefore } = filters.times
  return selectPlatformCustomers(op)
    .selectAll()
    .$call((q) => whereIfDefined(q, 'platform_customer_id', '=', platformCustomerId))
    .$call((q) => whereIfDefined(q, 'customer_type', '=', customerType))
    .$call((q) => whereIfDefined(q, 'region', '=', region))
    .$call((q) => whereIfDefined(q, 'verification_status', '=', filters.verificationStatus))
    .$if(currency !== undefined, (q) => q.where(sql<boolean>`currencies @> ${toJson([currency])}::jsonb`))
    .$call((q) => whereIfDefined(q, 'uma_address', '=', umaAddress))
    .$call((q) =>
      whenGiven(q, search, (query, words) => query.where(hasWords('customers', op.platform.id, words))),
    )
    .$if(!isIncludingDeleted, (q) => q.where('deleted_at', 'is', null))
    .$call((q) => whereIfDefined(q, 'created_at', '>', createdAfter))
    .$call((q) => whereIfDefined(q, 'created_at', '<', createdBefore))
    .$call((q) => whereIfDefined(q, 'updated_at', '>', updatedAfter))
    .$call((q) => whereIfDefined(q, 'updated_at', '<', updatedBefore))
}

/** Selects the platform's active EMAIL_OTP credentials with this address, ignoring case. */
function selectActiveEmailCredentials(op: Op, email: string) {
  return op.read
    .selectFrom('credentials')
    .innerJoin('internal_accounts', 'internal_accounts.id', 'credentials.account_id')
    .where('credentials.platform_id', '=', op.platform.id)
    .where('credentials.type', '=', 'EMAIL_OTP')
    .where('credentials.revoked_at', 'is', null)
    .where(sql<boolean>`lower(credentials.contact) = lower(${email})`)
}

/** A customer's e-mail credentials with this address, oldest first. */
export async function selectEmailCredentials(
  op: Op,
  customerId: string,
  email: string,
): Promise<CredentialRow[]> {
  return selectActiveEmailCredentials(op, email)
    .selectAll('credentials')
    .where('internal_accounts.customer_id', '=', customerId)
    .orderBy('credentials.created_at')
    .orderBy('credentials.id')
    .execute()
}

/** True if another customer that is not deleted signs in with this address. */
export async function selectIsEmailTaken(op: Op, customerId: string, email: string): Promise<boolean> {
  const other = await selectActiveEmailCredentials(op, email)
    .innerJoin('customers', 'customers.id', 'internal_accounts.customer_id')
    .select('credentials.id')
    .where('customers.id', '<>', customerId)
    .where('customers.deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}
