import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import { rowById } from '../../storage/read/lookup.ts'
import { whereGiven } from '../../storage/read/where-given.ts'
import type { MandateRow } from '../../storage/rows/mandate.ts'

const BY_ID = rowById('mandates')

export async function selectMandate(op: Op, id: string): Promise<MandateRow | undefined> {
  return op.find(BY_ID, id)
}

export interface MandateFilters {
  readonly externalAccountId?: string
  readonly customerId?: string
}

/** A page of the matching mandates. */
export function selectMandates(op: Op, { externalAccountId, customerId }: MandateFilters) {
  return op.read
    .selectFrom('mandates')
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereGiven(q, 'external_account_id', '=', externalAccountId))
    .$call((q) => whereGiven(q, 'customer_id', '=', customerId))
    .selectAll()
}

/** The mandate of an account that was not canceled. It may have expired. */
export async function selectUncanceled(op: Op, externalAccountId: string): Promise<MandateRow | undefined> {
  return selectMandates(op, { externalAccountId }).where('canceled_at', 'is', null).executeTakeFirst()
}

/** The id of the mandate with this reference, in capitals or not. */
export async function selectByMandateReference(op: Op, reference: string) {
  return op.read
    .selectFrom('mandates')
    .where('platform_id', '=', op.platform.id)
    .where(sql<string>`upper(reference)`, '=', reference.toUpperCase())
    .select('id')
    .executeTakeFirst()
}
