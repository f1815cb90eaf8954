import { present } from '@countersign/contract/core/objects'
import { toChecksumAddress } from '../../base/formats/addresses.ts'
import { describeShortly, nameOfHolder } from '../../kernel/accounts/external-account-names.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { findExternalAccountEver } from '../../money/external-accounts/external-accounts.ts'
import { requireColumn } from '../../storage/read/required.ts'
import { selectOwnAccount, selectTreasuryKey, selectTreasuryMovement, selectWithdrawal } from './store.ts'

const RULE = 'approvalsRequired'

/** The operator's account whose registration the members vote on. */
export async function ownAccountParts(op: Op, id: string) {
  const { external_account_id, purpose, reason, sweep } = await selectOwnAccount(op, id)
  const rule = sweep
    ? ` Each day at ${sweep.time} (${sweep.timeZone}) it is paid what is above the minimum of ${sweep.source}.`
    : ''
  return {
    ...(await payeePart(op, external_account_id)),
    policy: {
      rule: RULE,
      words:
        purpose === 'COLD_STORAGE'
          ? `Cold storage of the operator at ${await findAddress(op, external_account_id)}. Reason: ${reason}.`
          : `An account of the operator. Reason: ${reason}.${rule}`,
    },
  }
}

/** The withdrawal that the members vote on. The caller adds its amount. */
export async function withdrawalParts(op: Op, id: string) {
  const row = await selectWithdrawal(op, id)
  const { external_account_id } = await selectOwnAccount(op, row.own_account_id)
  return {
    row,
    ...(await payeePart(op, external_account_id)),
    policy: { rule: RULE, words: `A withdrawal from ${row.source}. Reason: ${row.reason}.` },
  }
}

/** The treasury movement that the members vote on. The caller adds its amount. */
export async function treasuryMovementParts(op: Op, id: string) {
  const row = await selectTreasuryMovement(op, id)
  const { external_account_id } = await selectOwnAccount(op, requireColumn(row, 'own_account_id'))
  return {
    row,
    ...(await payeePart(op, external_account_id)),
    policy: {
      rule: RULE,
      words: `Money of the treasury of ${row.rail}, to cold storage at ${await findAddress(op, external_account_id)}. Reason: ${row.reason}.`,
    },
  }
}

/** The key rotation that the members vote on. */
export async function treasuryKeyParts(op: Op, id: string) {
  const { rail, address, reason } = await selectTreasuryKey(op, id)
  const checksumAddress = toChecksumAddress(address.slice(2))
  return {
    policy: {
      rule: RULE,
      words: `A new key of the treasury of ${rail}, at ${checksumAddress}. Reason: ${reason}.`,
    },
  }
}

/** Returns the full address, because members compare it with their own records. */
async function findAddress(op: Op, externalAccountId: string): Promise<string> {
  return (await findExternalAccountEver(op, externalAccountId))?.identifier ?? ''
}

async function payeePart(op: Op, externalAccountId: string) {
  const account = await findExternalAccountEver(op, externalAccountId)
  return account ? { payee: present({ name: nameOfHolder(account), account: describeShortly(account) }) } : {}
}
