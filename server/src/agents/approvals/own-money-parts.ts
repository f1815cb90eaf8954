import { present } from '@countersign/contract/core/objects'
import { describeShortly, nameOfHolder } from '../../kernel/accounts/external-account-names.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { findExternalAccountEver } from '../../money/external-accounts/external-accounts.ts'
import { selectOwnAccount, selectWithdrawal } from './store.ts'

const RULE = 'approvalsRequired'

/** The account that members are asked to register for the operator. */
export async function ownAccountParts(op: Op, id: string) {
  const { external_account_id, reason, sweep } = await selectOwnAccount(op, id)
  const rule = sweep
    ? ` Each day at ${sweep.time} (${sweep.timeZone}) it is paid what is above the minimum of ${sweep.source}.`
    : ''
  return {
    ...(await payeeOf(op, external_account_id)),
    policy: { rule: RULE, words: `An account of the operator. Reason: ${reason}.${rule}` },
  }
}

/** The withdrawal that members are asked to send, with its amount in `amountOf`. */
export async function withdrawalParts(op: Op, id: string) {
  const row = await selectWithdrawal(op, id)
  const { external_account_id } = await selectOwnAccount(op, row.own_account_id)
  return {
    row,
    ...(await payeeOf(op, external_account_id)),
    policy: { rule: RULE, words: `A withdrawal from ${row.source}. Reason: ${row.reason}.` },
  }
}

async function payeeOf(op: Op, externalAccountId: string) {
  const account = await findExternalAccountEver(op, externalAccountId)
  return account ? { payee: present({ name: nameOfHolder(account), account: describeShortly(account) }) } : {}
}
