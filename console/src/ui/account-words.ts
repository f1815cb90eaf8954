import type { ExternalAccount as ExternalAccountSchema } from '@countersign/contract/accounts/external-accounts'
import type { Static } from 'typebox'
import { formatConstant } from './status-meaning.ts'

type ExternalAccount = Static<typeof ExternalAccountSchema>
type Info = ExternalAccount['accountInfo']

/** The fields that identify an account, best known first. */
const NUMBERS = [
  'iban',
  'accountNumber',
  'clabeNumber',
  'pixKey',
  'vpa',
  'address',
  'lightningAddress',
  'phoneNumber',
  'invoice',
  'bolt12',
]

function getText(info: Info, name: string): string | undefined {
  const value: unknown = Object.entries(info).find(([field]) => field === name)?.[1]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns the holder of an external account, if its details name one. */
export function getHolder({ accountInfo }: Pick<ExternalAccount, 'accountInfo'>): string | undefined {
  if (!('beneficiary' in accountInfo)) return undefined
  const { beneficiary } = accountInfo
  return 'legalName' in beneficiary ? beneficiary.legalName : beneficiary.fullName
}

/** Returns the bank or mobile operator of an external account. */
export function getBank({ accountInfo }: Pick<ExternalAccount, 'accountInfo'>): string | undefined {
  return getText(accountInfo, 'bankName') ?? getText(accountInfo, 'provider')
}

/** Returns the last four characters of the account number: `•••• 4321`. */
export function formatLastFour({ accountInfo }: Pick<ExternalAccount, 'accountInfo'>): string | undefined {
  const number = NUMBERS.map((name) => getText(accountInfo, name)).find((text) => text !== undefined)
  return number && `•••• ${number.slice(-4)}`
}

/** Returns the account's kind and the end of its number: `USD account •••• 4321`. */
export function formatKindAndEnd(account: Pick<ExternalAccount, 'accountInfo'>): string {
  return [formatConstant(account.accountInfo.accountType), formatLastFour(account)].filter(Boolean).join(' ')
}

/** Describes an external account by holder, bank, kind, and the end of its number. */
export function describeAccount(account: Pick<ExternalAccount, 'accountInfo'>): string {
  return [getHolder(account), getBank(account), formatKindAndEnd(account)].filter(Boolean).join(', ')
}
