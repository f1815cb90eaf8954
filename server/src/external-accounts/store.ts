import type { Op } from '../app.ts'
import type { ExternalAccountRow } from '../db/tables.ts'

export interface ExternalAccountFilters {
  readonly currency?: string
  readonly customerId?: string
}

function live(op: Op) {
  return op.read
    .selectFrom('external_accounts')
    .where('platform_id', '=', op.platform.id)
    .where('customer_id', 'is not', null)
    .where('deleted_at', 'is', null)
}

export async function selectExternalAccount(op: Op, id: string): Promise<ExternalAccountRow | undefined> {
  return live(op).selectAll().where('id', '=', id).executeTakeFirst()
}

/** The account of a customer with this fingerprint: the same account, however it is written. */
export async function selectExternalAccountByFingerprint(op: Op, customerId: string, fingerprint: string) {
  return live(op)
    .select('id')
    .where('customer_id', '=', customerId)
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
}

/** The account to which payments to a customer's UMA address are passed on. */
export async function selectDefaultUmaDepositAccount(op: Op, customerId: string) {
  return live(op)
    .select('id')
    .where('customer_id', '=', customerId)
    .where('default_uma_deposit', '=', true)
    .executeTakeFirst()
}

/** The accounts that match, for a page of them. */
export function selectExternalAccounts(op: Op, { currency, customerId }: ExternalAccountFilters) {
  return live(op)
    .selectAll()
    .$if(currency !== undefined, (q) => q.where('currency', '=', currency!))
    .$if(customerId !== undefined, (q) => q.where('customer_id', '=', customerId!))
}
