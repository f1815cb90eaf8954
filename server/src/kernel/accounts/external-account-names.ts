import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'

type Beneficiary = Extract<AccountDetails, { beneficiary: object }>['beneficiary']

/** Identifies an external account in a list by its type and the last characters of its identifier. */
export function describeShortly({
  account_type,
  identifier,
}: Pick<ExternalAccountRow, 'account_type' | 'identifier'>): string {
  return `${formatAccountType(account_type)} •••• ${identifier.slice(-4)}`
}

/** The name of an external account's holder, if its details have one. */
export function getHolderName({
  account_info: info,
}: Pick<ExternalAccountRow, 'account_info'>): string | undefined {
  return 'beneficiary' in info ? getBeneficiaryName(info.beneficiary) : undefined
}

function getBeneficiaryName(beneficiary: Beneficiary): string | undefined {
  return 'legalName' in beneficiary ? beneficiary.legalName : beneficiary.fullName
}

/** `GBP_ACCOUNT` becomes `GBP account`, `ETHEREUM_WALLET` becomes `Ethereum wallet`. */
export function formatAccountType(type: string): string {
  if (type === 'LIGHTNING') return 'Lightning receiver'
  const [first = '', ...rest] = type.split('_')
  const isCode = rest[0] === 'ACCOUNT'
  return [isCode ? first : first.charAt(0) + first.slice(1).toLowerCase(), ...rest.map(lower)].join(' ')
}

function lower(text: string): string {
  return text.toLowerCase()
}
