import type { Op } from '../../kernel/operation/app.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import type { ErasureRow } from '../../storage/rows/erasure.ts'

const BY_ID = lookupById('erasures')

/** The erasure of a customer, if one was requested. */
export async function selectErasure(op: Op, customerId: string): Promise<ErasureRow | undefined> {
  return op.find(BY_ID, customerId)
}

/** The ids of a customer's internal accounts. */
export async function selectAccountIds(op: Op, customerId: string): Promise<string[]> {
  const accounts = await op.read
    .selectFrom('internal_accounts')
    .select('id')
    .where('platform_id', '=', op.platform.id)
    .where('customer_id', '=', customerId)
    .orderBy('id')
    .execute()
  return accounts.map(({ id }) => id)
}
