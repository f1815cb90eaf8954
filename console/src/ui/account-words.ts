import type { ExternalAccount as ExternalAccountSchema } from '@countersign/contract/accounts/external-accounts'
import type { Static } from 'typebox'
import { wordsOf } from './status-meaning.ts'

type ExternalAccount = Static<typeof ExternalAccountSchema>
type Info = ExternalAccount['accountInfo']

/** The fields that identify an account, the one that people know first. */
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

function textOf(info: Info, name: string): string | undefined {
  const value: unknown = Object.entries(info).find(([field]) => field === name)?.[1]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The holder of an external account, if its details name one. */
export function holderOf({ accountInfo }: Pick<ExternalAccount, 'accountInfo'>): string | undefined {
  if (!('beneficiary' in accountInfo)) return undefined
  const { beneficiary } = accountInfo
  return 'legalName' in beneficiary ? beneficiary.legalName : beneficiary.fullName
}

/** The bank or the operator of an external account. */
export function bankOf({ accountInfo }: Pick<ExternalAccount, 'accountInfo'>): string | undefined {
  return textOf(accountInfo, 'bankName') ?? textOf(accountInfo, 'provider')
}

/** `•••• 4321`: the last four characters of its number. */
export function lastFourOf({ accountInfo }: Pick<ExternalAccount, 'accountInfo'>): string | undefined {
  const number = NUMBERS.map((name) => textOf(accountInfo, name)).find((one) => one !== undefined)
  return number && `•••• ${number.slice(-4)}`
}

/** Its kind and the end of its number: `USD account •••• 4321`. */
export function kindAndEndOf(account: Pick<ExternalAccount, 'accountInfo'>): string {
  return [wordsOf(account.accountInfo.accountType), lastFourOf(account)].filter(Boolean).join(' ')
}

/** The name of an external account: its holder, its bank, its kind and the end of its number. */
export function accountWords(account: Pick<ExternalAccount, 'accountInfo'>): string {
  return [holderOf(account), bankOf(account), kindAndEndOf(account)].filter(Boolean).join(', ')
}
