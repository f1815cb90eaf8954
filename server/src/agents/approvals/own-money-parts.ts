import { present } from '@countersign/contract/core/objects'
import { toChecksumAddress } from '../../base/formats/addresses.ts'
import { describeShortly, getHolderName } from '../../kernel/accounts/external-account-names.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { findExternalAccountEvenIfDeleted } from '../../money/external-accounts/external-accounts.ts'
import { requireColumn } from '../../storage/read/required.ts'
import { selectOwnAccount, selectTreasuryKey, selectTreasuryMovement, selectWithdrawal } from './store.ts'

const RULE = 'approvalsRequired'

/** The operator's account whose registration the members vote on. */
export async function readOwnAccountParts(op: Op, id: string) {
  const { external_account_id, purpose, reason, sweep } = await selectOwnAccount(op, id)
  const rule = sweep
    ? ` Every day at ${sweep.time} (${sweep.timeZone}), it receives the amount above the minimum of ${sweep.source}.`
    : ''
  return {
    ...(await readPayeePart(op, external_account_id)),
    policy: {
      rule: RULE,
      words:
        purpose === 'COLD_STORAGE'
          ? `The operator's cold storage at ${await findAddress(op, external_account_id)}. Reason: ${reason}.`
          : `The operator's own account. Reason: ${reason}.${rule}`,
    },
  }
}

/** The withdrawal that the members vote on. The caller adds its amount. */
export async function readWithdrawalParts(op: Op, id: string) {
  const row = await selectWithdrawal(op, id)
  const { external_account_id } = await selectOwnAccount(op, row.own_account_id)
  return {
    row,
    ...(await readPayeePart(op, external_account_id)),
    policy: { rule: RULE, words: `A withdrawal from ${row.source}. Reason: ${row.reason}.` },
  }
}

/** The treasury movement that the members vote on. The caller adds its amount. */
export async function readTreasuryMovementParts(op: Op, id: string) {
  const row = await selectTreasuryMovement(op, id)
  const { external_account_id } = await selectOwnAccount(op, requireColumn(row, 'own_account_id'))
  return {
    row,
    ...(await readPayeePart(op, external_account_id)),
    policy: {
      rule: RULE,
      words: `Moves money from the ${row.rail} treasury to cold storage at ${await findAddress(op, external_account_id)}. Reason: ${row.reason}.`,
    },
  }
}

/** The key rotation that the members vote on. */
export async function readTreasuryKeyParts(op: Op, id: string) {
  const { rail, address, reason } = await selectTreasuryKey(op, id)
  const checksumAddress = toChecksumAddress(address.slice(2))
  return {
    policy: {
      rule: RULE,
      words: `A new key for the ${rail} treasury, with the address ${checksumAddress}. Reason: ${reason}.`,
    },
  }
}

/** Returns the full address, because members compare it with their own records. */
async function findAddress(op: Op, externalAccountId: string): Promise<string> {
  return (await findExternalAccountEvenIfDeleted(op, externalAccountId))?.identifier ?? ''
}

async function readPayeePart(op: Op, externalAccountId: string) {
  const account = await findExternalAccountEvenIfDeleted(op, externalAccountId)
  return account
    ? { payee: present({ name: getHolderName(account), account: describeShortly(account) }) }
    : {}
}
