import { createHash } from 'node:crypto'
import {
  type AccountTypeName,
  accountType,
  type ExternalAccountCreateInfoValue,
} from '@countersign/contract/account-types'
import { toJson } from '../json.ts'
import { fieldError } from '../operation.ts'
import { beneficiaryOutcome, isMagicSuffix, suffixOf } from '../sandbox/magic-values.ts'
import { isClabe, isIban, isRoutingNumber } from './check-digits.ts'

/** The rules of account details: what the schema's patterns cannot say. */
export type AccountDetails = ExternalAccountCreateInfoValue

/** Beside what identifies an account, where it is: the same number at two banks is two accounts. */
const LOCATORS = [
  'country',
  'swiftCode',
  'routingNumber',
  'sortCode',
  'bankCode',
  'branchCode',
  'bankName',
  'provider',
  'region',
]

/** Account numbers of US banks: ACH has room for 17 characters, and they are digits. */
const US_ACCOUNT_NUMBER = /^\d{1,17}$/

/** Chains whose addresses are hexadecimal: their letters mean the same in either case. */
const HEX_ADDRESSES: readonly AccountTypeName[] = ['ETHEREUM_WALLET', 'BASE_WALLET', 'POLYGON_WALLET']

/**
 * The identifying members that are given, the primary one first (specification 4.16).
 * Error: 400 that names the member, where an account of this type is described by neither of them.
 */
export function identifiersOf(
  info: AccountDetails,
): readonly { readonly name: string; readonly value: string }[] {
  const names = accountType(info.accountType).identifiedBy
  const found = textMembers(info, names)
  if (found.length === 0)
    throw fieldError('INVALID_INPUT', `accountInfo.${names[0]}`, `accountInfo needs ${names.join(' or ')}`)
  return found
}

/**
 * Error: 400 `INVALID_BANK_ACCOUNT` that names the member whose check digits do not fit. In sandbox an identifier that
 * ends in a magic suffix is not held to them: where the end is given, nothing is left to compute. One that ends in 105
 * is refused there.
 */
export function checkAccountDetails(info: AccountDetails, mode: 'sandbox' | 'production'): void {
  const [primary] = identifiersOf(info)
  const suffix = suffixOf(primary!.value)
  if (mode === 'sandbox' && beneficiaryOutcome(suffix) === 'INVALID')
    throw invalid(primary!.name, 'names no account (sandbox suffix 105)')
  const isExempt = (name: string) => mode === 'sandbox' && name === primary!.name && isMagicSuffix(suffix)
  if (info.accountType === 'USD_ACCOUNT') {
    if (!isRoutingNumber(info.routingNumber)) throw invalid('routingNumber', 'is not an ABA routing number')
    if (!US_ACCOUNT_NUMBER.test(info.accountNumber)) throw invalid('accountNumber', 'must be 1 to 17 digits')
  }
  if ('iban' in info && info.iban !== undefined && !isExempt('iban') && !isIban(info.iban))
    throw invalid('iban', 'has check digits that do not fit')
  if ('clabeNumber' in info && !isExempt('clabeNumber') && !isClabe(info.clabeNumber))
    throw invalid('clabeNumber', 'has a check digit that does not fit')
}

function invalid(member: string, what: string) {
  return fieldError('INVALID_BANK_ACCOUNT', `accountInfo.${member}`, `accountInfo.${member} ${what}`)
}

/** The same for the same account: a digest of what identifies it, each member in one form. An IBAN says it all. */
export function fingerprintOf(info: AccountDetails, currency: string): string {
  const identifiers = identifiersOf(info)
  const iban = identifiers.filter(({ name }) => name === 'iban')
  const members = iban.length > 0 ? iban : [...identifiers, ...textMembers(info, LOCATORS)]
  const canonical = members.map(({ name, value }) => [name, canonicalForm(info.accountType, name, value)])
  return createHash('sha256')
    .update(toJson([info.accountType, currency, canonical]))
    .digest('hex')
}

function canonicalForm(type: AccountTypeName, name: string, value: string): string {
  if (name === 'iban') return value.toUpperCase()
  if (name === 'swiftCode') return value.padEnd(11, 'X')
  if (name === 'address' && HEX_ADDRESSES.includes(type)) return value.toLowerCase()
  return value
}

function textMembers(info: AccountDetails, names: readonly string[]) {
  const members = new Map<string, unknown>(Object.entries(info))
  return names.flatMap((name) => {
    const value = members.get(name)
    return typeof value === 'string' ? [{ name, value }] : []
  })
}
