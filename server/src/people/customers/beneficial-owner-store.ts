import type { Op } from '../../kernel/operation/app.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import type { BeneficialOwnerRow } from '../../storage/rows/verification.ts'

const BY_ID = lookupById('beneficial_owners')

export async function selectBeneficialOwner(op: Op, id: string): Promise<BeneficialOwnerRow | undefined> {
  return op.find(BY_ID, id)
}

/** A page of a business's owners. */
export function selectBeneficialOwners(op: Op, customerId: string) {
  return op.read
    .selectFrom('beneficial_owners')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('customer_id', '=', customerId)
}

/** All owners of a business, oldest first. */
export async function selectAllBeneficialOwners(op: Op, customerId: string): Promise<BeneficialOwnerRow[]> {
  return selectBeneficialOwners(op, customerId).orderBy('created_at').orderBy('id').execute()
}
