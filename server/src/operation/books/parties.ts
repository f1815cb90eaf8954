import { present } from '@countersign/contract/core/objects'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { getHolderName } from '../../kernel/accounts/external-account-names.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { findAccountAsOf } from '../../money/external-accounts/account-changes.ts'
import { describeAccount } from '../../money/external-accounts/describe.ts'
import { findExternalAccountEvenIfDeleted } from '../../money/external-accounts/external-accounts.ts'
import { getPlatformConfig } from '../../people/platforms/platform-config.ts'
import type { DepositDetails } from '../../storage/rows/rail.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'
import { selectCustomerDetails } from './store.ts'

/** The known details of the other party of a movement. */
export interface Party {
  readonly name?: string
  readonly accountId?: string
  readonly umaAddress?: string
  /** The description of an external account. */
  readonly description?: string
}

/** The name of an account's owner; null stands for the platform itself. */
export async function findOwnerName(op: Op, customerId: string | null): Promise<string> {
  if (customerId === null) return getPlatformConfig(op).embeddedWalletConfig.appName
  const details = await selectCustomerDetails(op, customerId)
  return details?.businessInfo?.legalName ?? details?.fullName ?? customerId
}

export async function findPayee(
  op: Op,
  transaction: TransactionWithCustomer,
  quote?: QuoteRow,
): Promise<Party> {
  const umaAddress = quote?.destination_uma ?? transaction.details.uma
  const accountId = transaction.destination_account_id
  if (umaAddress !== undefined && umaAddress !== null)
    return present({ ...readDisclosedName(transaction), umaAddress })
  if (accountId !== null) return findAccountParty(op, accountId, transaction.created_at)
  if (transaction.details.isByOwnKey) return present({ description: transaction.destination_identifier })
  return present({ umaAddress: transaction.destination_identifier })
}

/** The payer of a transaction. Money paid in for a quote comes from an unknown account. */
export async function findPayer(op: Op, transaction: TransactionWithCustomer): Promise<Party> {
  if (transaction.source_account_id !== null)
    return findAccountParty(op, transaction.source_account_id, transaction.created_at)
  const statedSender = transaction.details.sender
  if (statedSender) return toSender(statedSender)
  return present({ ...readDisclosedName(transaction), umaAddress: transaction.source_identifier })
}

/** The sender of a deposit with the details that the rail reported. */
export function toSender({ sender }: DepositDetails): Party {
  return present({ name: sender?.name, description: describeSender(sender) })
}

function describeSender(sender: DepositDetails['sender']): string | undefined {
  const parts = [sender?.name, sender?.accountIdentifier, sender?.bankName].filter(
    (part) => part !== undefined,
  )
  return parts.length > 0 ? parts.join(', ') : undefined
}

/** The name of the other party, if it was disclosed. */
function readDisclosedName({ details }: TransactionWithCustomer): { readonly name?: string } {
  const name = details.counterparty?.FULL_NAME
  return typeof name === 'string' ? { name } : {}
}

/** An account with its details at the time of the payment. */
async function findAccountParty(op: Op, accountId: string, at: Date): Promise<Party> {
  if (accountId.startsWith('InternalAccount:')) {
    const { customer_id } = await findInternalAccount(op, accountId)
    return { name: await findOwnerName(op, customer_id), accountId }
  }
  const current = await findExternalAccountEvenIfDeleted(op, accountId)
  if (!current) return { accountId }
  const account = await findAccountAsOf(op, current, at)
  return present({ name: getHolderName(account), accountId, description: describeAccount(account) })
}

/** Describes a party; empty if nothing is known. */
export function describeParty({ name, description, umaAddress, accountId }: Party = {}): string {
  // The description of an external account already starts with its holder's name.
  return description ?? [name, umaAddress ?? accountId].filter((part) => part !== undefined).join(', ')
}
