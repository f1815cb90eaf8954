import {
  ACCOUNT_VERIFICATION_STATES,
  ACCOUNT_VERIFICATION_TRANSITIONS,
  type AccountVerificationState,
} from '@countersign/contract/states/account-verification-states'
import type { Op } from '../../kernel/operation/app.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { AccountVerificationRow } from '../../storage/rows/account-verification.ts'

const BY_ID = lookupById('account_verifications')

export async function selectVerification(op: Op, id: string): Promise<AccountVerificationRow | undefined> {
  return op.find(BY_ID, id)
}

export interface AccountVerificationFilters {
  readonly externalAccountId?: string
  readonly customerId?: string
  readonly status?: AccountVerificationState
}

/** A query for the matching verifications. */
export function selectVerifications(
  op: Op,
  { externalAccountId, customerId, status }: AccountVerificationFilters,
) {
  return op.read
    .selectFrom('account_verifications')
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'external_account_id', '=', externalAccountId))
    .$call((q) => whereIfDefined(q, 'customer_id', '=', customerId))
    .$call((q) => whereIfDefined(q, 'state', '=', status))
    .selectAll()
}

/** The account's verification that is in progress or has succeeded. */
export async function selectCurrentVerification(
  op: Op,
  externalAccountId: string,
): Promise<AccountVerificationRow | undefined> {
  const current = ACCOUNT_VERIFICATION_STATES.filter((state) =>
    nextState(ACCOUNT_VERIFICATION_TRANSITIONS, state, 'fail'),
  )
  return selectVerifications(op, { externalAccountId }).where('state', 'in', current).executeTakeFirst()
}

/** The latest verifications of a bank account across all customers, newest first. */
export function selectLatestByAccount(
  op: Op,
  accountDigest: string,
  limit: number,
): Promise<AccountVerificationRow[]> {
  return selectVerifications(op, {})
    .where('account_digest', '=', accountDigest)
    .orderBy('start', 'desc')
    .limit(limit)
    .execute()
}

/** The latest verifications of a customer, newest first. */
export function selectLatestByCustomer(
  op: Op,
  customerId: string,
  limit: number,
): Promise<AccountVerificationRow[]> {
  return selectVerifications(op, { customerId }).orderBy('customer_start', 'desc').limit(limit).execute()
}

/** The verification that a deposit belongs to. */
export async function selectVerificationByTransaction(
  op: Op,
  transactionId: string,
): Promise<AccountVerificationRow | undefined> {
  return selectVerifications(op, {})
    .where(({ eb, or }) =>
      or([eb('first_transaction_id', '=', transactionId), eb('second_transaction_id', '=', transactionId)]),
    )
    .executeTakeFirst()
}
