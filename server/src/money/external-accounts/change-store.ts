import type { AccountChangeState } from '@countersign/contract/states/account-change-states'
import {
  ACCOUNT_CHANGE_INITIAL,
  ACCOUNT_CHANGE_TRANSITIONS,
} from '@countersign/contract/states/account-change-states'
import type { Op } from '../../kernel/operation/app.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { AccountChangeRow } from '../../storage/rows/account-change.ts'

const BY_ID = lookupById('account_changes')

export async function selectAccountChange(op: Op, id: string): Promise<AccountChangeRow | undefined> {
  return op.find(BY_ID, id)
}

export interface AccountChangeFilters {
  readonly externalAccountId?: string
  readonly customerId?: string
  readonly status?: AccountChangeState
}

/** A page of the matching changes. */
export function selectAccountChanges(
  op: Op,
  { externalAccountId, customerId, status }: AccountChangeFilters,
) {
  return op.read
    .selectFrom('account_changes')
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'external_account_id', '=', externalAccountId))
    .$call((q) => whereIfDefined(q, 'customer_id', '=', customerId))
    .$call((q) => whereIfDefined(q, 'state', '=', status))
    .selectAll()
}

/** The changes of an account that wait for a decision, oldest first. */
export async function selectPendingChanges(op: Op, externalAccountId: string): Promise<AccountChangeRow[]> {
  return selectAccountChanges(op, { externalAccountId, status: ACCOUNT_CHANGE_INITIAL })
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The changes applied to an account after a given time, newest first. */
export async function selectAppliedAfter(
  op: Op,
  externalAccountId: string,
  time: Date,
): Promise<AccountChangeRow[]> {
  const status = ACCOUNT_CHANGE_TRANSITIONS[ACCOUNT_CHANGE_INITIAL].apply
  return selectAccountChanges(op, { externalAccountId, status })
    .where('decided_at', '>', time)
    .orderBy('decided_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}
