import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'

type Beneficiary = Extract<AccountDetails, { beneficiary: object }>['beneficiary']

/** An external account in a list: its type, and the last characters of its identifier. */
export function describeShortly({
  account_type,
  identifier,
}: Pick<ExternalAccountRow, 'account_type' | 'identifier'>): string {
  return `${kindOf(account_type)} •••• ${identifier.slice(-4)}`
}

/** The holder of an external account, if its details name one. */
export function nameOfHolder({
  account_info: info,
}: Pick<ExternalAccountRow, 'account_info'>): string | undefined {
  return 'beneficiary' in info ? holderOf(info.beneficiary) : undefined
}

function holderOf(beneficiary: Beneficiary): string | undefined {
  return 'legalName' in beneficiary ? beneficiary.legalName : beneficiary.fullName
}

/** `GBP_ACCOUNT` → `GBP account`, `ETHEREUM_WALLET` → `Ethereum wallet`. */
export function kindOf(type: string): string {
  if (type === 'LIGHTNING') return 'Lightning receiver'
  const [first = '', ...rest] = type.split('_')
  const isCode = rest[0] === 'ACCOUNT'
  return [isCode ? first : first.charAt(0) + first.slice(1).toLowerCase(), ...rest.map(lower)].join(' ')
}

function lower(text: string): string {
  return text.toLowerCase()
}
