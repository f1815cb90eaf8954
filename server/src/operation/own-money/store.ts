import type { OwnAccountState, PlatformWithdrawalState } from '@countersign/contract/states/own-money-states'
import type { Op } from '../../kernel/operation/app.ts'
import { lookupByKey } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { OwnAccountRow, PlatformWithdrawalRow } from '../../storage/rows/own-money.ts'

export function selectOwnAccounts(op: Op, { status }: { readonly status?: OwnAccountState }) {
  return op.read
    .selectFrom('own_accounts')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'state', '=', status))
}

export async function selectOwnAccount(op: Op, id: string): Promise<OwnAccountRow | undefined> {
  return selectOwnAccounts(op, {}).where('id', '=', id).executeTakeFirst()
}

/** The registration of an external account, unless it was removed. */
export async function selectRegistration(
  op: Op,
  externalAccountId: string,
): Promise<OwnAccountRow | undefined> {
  return selectOwnAccounts(op, {})
    .where('external_account_id', '=', externalAccountId)
    .where('state', '<>', 'REMOVED')
    .executeTakeFirst()
}

export function selectWithdrawals(op: Op, { status }: { readonly status?: PlatformWithdrawalState }) {
  return op.read
    .selectFrom('platform_withdrawals')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'state', '=', status))
}

export async function selectWithdrawal(op: Op, id: string): Promise<PlatformWithdrawalRow | undefined> {
  return selectWithdrawals(op, {}).where('id', '=', id).executeTakeFirst()
}

const BY_TRANSACTION = lookupByKey<PlatformWithdrawalRow>(
  'SELECT * FROM platform_withdrawals WHERE transaction_id = ANY ($1::uuid[])',
  'transaction_id',
)

/** The withdrawal that a transaction pays for. */
export async function selectWithdrawalByTransaction(
  op: Op,
  transactionId: string,
): Promise<PlatformWithdrawalRow | undefined> {
  return op.find(BY_TRANSACTION, transactionId)
}
