import { buildTable } from '@countersign/contract/core/objects'
import type { Op } from '../../kernel/operation/app.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import { listIdentifiers } from '../external-accounts/account-details.ts'
import type { Target } from './match-reference.ts'
import { selectActiveOwnAccounts, selectPlatformAccount } from './store.ts'

/** Identifiers that are unique worldwide. All others are unique only within their bank. */
const GLOBALLY_UNIQUE: ReadonlySet<string> = new Set(['iban', 'address'])

type Sender = NonNullable<DepositRow['details']['sender']>
type Account = Pick<ExternalAccountRow, 'account_info'>

/**
 * The platform's own account, if the money came from one of the operator's registered accounts in the same
 * currency.
 */
export async function findOwnSender(op: Op, { currency, details }: DepositRow): Promise<Target | undefined> {
  const { sender } = details
  if (sender?.accountIdentifier === undefined) return undefined
  const registered = await selectActiveOwnAccounts(op, currency, 'OWN_MONEY')
  if (!registered.some((account) => isAccountOfSender(sender, account))) return undefined
  const account = await selectPlatformAccount(op, currency)
  return account && { kind: 'account', id: account.id }
}

/** True if the money came from the operator's cold storage. */
export async function isColdStorage(op: Op, currency: string, sender: Sender): Promise<boolean> {
  const registered = await selectActiveOwnAccounts(op, currency, 'COLD_STORAGE')
  return registered.some((account) => isAccountOfSender(sender, account))
}

/**
 * True if the sender names this account and, unless the account has an IBAN or a chain address, also its
 * bank.
 */
export function isAccountOfSender(sender: Sender, { account_info: info }: Account): boolean {
  const senderIdentifier = compact(sender.accountIdentifier)
  const identifier = listIdentifiers(info).find(({ value }) => compact(value) === senderIdentifier)
  if (!identifier || senderIdentifier === '') return false
  if (GLOBALLY_UNIQUE.has(identifier.name)) return true
  const bank = compact(sender.bankIdentifier)
  return bank !== '' && listBankNumbers(info).includes(bank)
}

/** The bank identifiers of an account without an IBAN. */
function listBankNumbers(info: ExternalAccountRow['account_info']): string[] {
  const { routingNumber, sortCode, swiftCode, bankCode, ifsc } = buildTable(
    ['routingNumber', 'sortCode', 'swiftCode', 'bankCode', 'ifsc'],
    (name) => compact(readTextField(info, name)),
  )
  return [routingNumber, sortCode, swiftCode, bankCode, ifsc].filter((text) => text !== '')
}

function readTextField(info: object, name: string): string | undefined {
  const value: unknown = Object.entries(info).find(([key]) => key === name)?.[1]
  return typeof value === 'string' ? value : undefined
}

/** Removes what banks write differently: spaces, hyphens and letter case. */
function compact(text: string | undefined): string {
  return (text ?? '').toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
}
