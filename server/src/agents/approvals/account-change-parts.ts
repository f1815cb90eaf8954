import { HOLDER_FIELD } from '@countersign/contract/accounts/account-changes'
import { present } from '@countersign/contract/core/objects'
import { describeShortly, getHolderName } from '../../kernel/accounts/external-account-names.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { findAccountChange } from '../../money/external-accounts/account-changes.ts'
import { shortenIdentifier } from '../../money/external-accounts/changed-details.ts'
import { findExternalAccountEvenIfDeleted } from '../../money/external-accounts/external-accounts.ts'

/** The account whose reported changes the members vote on. */
export async function readAccountChangeParts(op: Op, id: string) {
  const { external_account_id, previous, proposed, rail, code, transaction_id } = await findAccountChange(
    op,
    id,
  )
  const account = await findExternalAccountEvenIfDeleted(op, external_account_id)
  if (!account) return {}
  const [before, after] = [previous, proposed].map((values) =>
    shortenIdentifier(account.account_type, values),
  )
  const changes = Object.keys(proposed).map(
    (field) => `${toWords(field)} ${after?.[field] ?? ''} instead of ${before?.[field] ?? 'none'}`,
  )
  return {
    requestedBy: { type: 'RAIL' as const, name: rail },
    payee: present({ name: getHolderName(account), account: describeShortly(account) }),
    transactionId: transaction_id,
    policy: { rule: code ?? 'CHANGE_OF_ACCOUNT', words: `The bank reports ${changes.join(', ')}.` },
  }
}

/** `accountNumber` becomes `account number`. */
function toWords(field: string): string {
  return field === HOLDER_FIELD
    ? 'holder'
    : field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
