import { accountType } from '@countersign/contract/accounts/account-types'
import { quoteName } from '../../base/formats/quoted.ts'
import { formatAccountType, getHolderName } from '../../kernel/accounts/external-account-names.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'

const FIELD_LABELS: Readonly<Record<string, string>> = {
  bolt12: 'offer',
  clabeNumber: 'CLABE',
  iban: 'IBAN',
  ifsc: 'IFSC',
  lightningAddress: 'address',
  pixKey: 'PIX key',
  pixKeyType: 'PIX key type',
  swiftCode: 'SWIFT code',
  vpa: 'VPA',
}

/** Values that contain no spaces or commas: numbers, codes and addresses. */
const ONE_WORD = /^[0-9A-Za-z@.:+_-]+$/
/** Fields whose values may be any single word. */
const NAME_FIELDS: ReadonlySet<string> = new Set(['bankName', 'provider'])

/**
 * Describes an external account in full for the person who decides about a payment: its holder, its type and
 * every detail.
 */
export function describeAccount({
  account_info: info,
  account_type,
}: Pick<ExternalAccountRow, 'account_info' | 'account_type'>): string {
  const details: Readonly<Record<string, unknown>> = info
  const members = Object.keys(accountType(account_type).fields ?? {}).flatMap((member) => {
    const value = details[member]
    return typeof value === 'string' ? [`${formatFieldName(member)} ${formatValue(member, value)}`] : []
  })
  // After the customer's erasure, only the account's type is known.
  const account = [formatAccountType(account_type), ...members].join(', ')
  const name = getHolderName({ account_info: info })
  return name === undefined ? `the ${account}` : `${quoteName(name)} (${account})`
}

function toLower(text: string): string {
  return text.toLowerCase()
}

/** For example, `accountNumber` becomes `account number`. */
function formatFieldName(member: string): string {
  return FIELD_LABELS[member] ?? member.replaceAll(/[A-Z]/g, (letter) => ` ${toLower(letter)}`)
}

function formatValue(member: string, value: string): string {
  return ONE_WORD.test(value) && !NAME_FIELDS.has(member) ? value : quoteName(value)
}
