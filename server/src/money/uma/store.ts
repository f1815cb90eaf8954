import type { Op } from '../../kernel/operation/app.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'

/**
 * The customer with this UMA address in lower case. The address of a deleted customer stays reserved, but
 * finds no customer.
 */
export async function selectCustomerAtUma(op: Op, address: string): Promise<CustomerRow | undefined> {
  return op.read
    .selectFrom('customers')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('uma_address', '=', address)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** The currencies in which a customer has an open account. */
export async function selectAccountCurrencies(op: Op, customerId: string): Promise<string[]> {
  const rows = await op.read
    .selectFrom('internal_accounts')
    .select('currency')
    .distinct()
    .where('platform_id', '=', op.platform.id)
    .where('customer_id', '=', customerId)
    .where('status', '=', 'ACTIVE')
    .orderBy('currency')
    .execute()
  return rows.map(({ currency }) => currency)
}
