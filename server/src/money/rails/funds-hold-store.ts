import type { FundsHoldState } from '@countersign/contract/states/funds-hold-states'
import type { Op } from '../../kernel/operation/app.ts'
import { lookupById, lookupByKey } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { FundsHoldRow } from '../../storage/rows/risk.ts'

const BY_ID = lookupById('funds_holds')
const BY_TRANSACTION = lookupByKey<FundsHoldRow>(
  'SELECT * FROM funds_holds WHERE transaction_id = ANY ($1::uuid[])',
  'transaction_id',
)

export async function selectFundsHold(op: Op, id: string): Promise<FundsHoldRow | undefined> {
  return op.find(BY_ID, id)
}

export async function selectFundsHoldByTransaction(
  op: Op,
  transactionId: string,
): Promise<FundsHoldRow | undefined> {
  return op.find(BY_TRANSACTION, transactionId)
}

export interface FundsHoldFilters {
  readonly accountId?: string
  readonly customerId?: string
  readonly transactionId?: string
  readonly status?: FundsHoldState
}

/** A page of the matching holds. */
export function selectFundsHolds(op: Op, filters: FundsHoldFilters) {
  const { accountId, customerId, transactionId, status } = filters
  return op.read
    .selectFrom('funds_holds')
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'account_id', '=', accountId))
    .$call((q) => whereIfDefined(q, 'customer_id', '=', customerId))
    .$call((q) => whereIfDefined(q, 'transaction_id', '=', transactionId))
    .$call((q) => whereIfDefined(q, 'state', '=', status))
    .selectAll()
}
