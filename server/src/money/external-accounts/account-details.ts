import { createHash } from 'node:crypto'
import type { AccountCheckName } from '@countersign/contract/accounts/account-fields'
import {
  type AccountTypeName,
  accountType,
  EXTERNAL_ACCOUNT_INFO,
} from '@countersign/contract/accounts/account-types'
import { joinOffer, sparkSpelling } from '../../base/formats/addresses.ts'
import { toJson } from '../../base/json/json.ts'
import { beneficiaryOutcome, isMagicSuffix, suffixOf } from '../../kernel/magic-values/magic-values.ts'
import { fieldError } from '../../kernel/operation/operation.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import { CHECKS, type CheckInput } from './checks.ts'
import { checkInstitution } from './institution.ts'

/** Rules for account details that JSON Schema patterns cannot express. */

type Mode = 'sandbox' | 'production'

const SUFFIX_CHARACTERS = 3

/** Fields that locate an account: the same account number at two banks is two accounts. */
const PLACES = ['country', 'region'] as const
const BANK_CODES = ['swiftCode', 'routingNumber', 'sortCode', 'bankCode', 'branchCode'] as const
const BANK_NAMES = ['bankName', 'provider'] as const

interface Identifier {
  readonly name: string
  readonly value: string
}

/**
 * The identifiers of an account, the primary one first (specification 4.16). Throws 400 naming the field if
 * all are missing.
 */
export function identifiersOf(info: AccountDetails): readonly [Identifier, ...Identifier[]] {
  const names = accountType(info.accountType).identifiedBy
  const [first, ...others] = textMembers(info, names)
  if (!first)
    throw fieldError('INVALID_INPUT', `accountInfo.${names[0]}`, `accountInfo needs ${names.join(' or ')}`)
  return [first, ...others]
}

/** Normalizes details before they are checked and stored: joins the parts of a BOLT 12 offer. */
export function normalizeDetails(info: AccountDetails): AccountDetails {
  return info.accountType === 'LIGHTNING' && info.bolt12 !== undefined
    ? { ...info, bolt12: joinOffer(info.bolt12) }
    : info
}

/**
 * Checks length and pattern of every field, and runs the checks that the account type declares. In the
 * sandbox, a magic suffix of the primary identifier replaces its check digits; the suffix 105 is rejected
 * (specification 4.16). Throws 400 `INVALID_BANK_ACCOUNT` naming the field.
 */
export function checkAccountDetails(info: AccountDetails, mode: Mode): void {
  const [primary] = identifiersOf(info)
  const suffix = suffixOf(primary.value)
  const isSteered = mode === 'sandbox' && isMagicSuffix(suffix)
  const wrong = wrongMember(info, mode, isSteered ? primary.name : undefined)
  if (wrong) throw detailError(wrong.name, wrong.refusal)
  checkInstitution(info)
  if (mode === 'sandbox' && beneficiaryOutcome(suffix) === 'INVALID')
    throw detailError(primary.name, 'belongs to no account (sandbox suffix 105)')
}

/**
 * True if the text is valid for one of the identifiers of this account type. In the sandbox it may have a
 * magic suffix.
 */
export function isIdentifierOf(type: AccountTypeName, text: string, mode: Mode): boolean {
  const isSteered = mode === 'sandbox' && isMagicSuffix(suffixOf(text))
  return accountType(type).identifiedBy.some(
    (member) => !wrongMember({ accountType: type, [member]: text }, mode, isSteered ? member : undefined),
  )
}

interface TextSchema {
  readonly pattern?: string
  readonly maxLength?: number
}

/**
 * The first invalid field, and the rest of the sentence about it. `steered` is the field with a magic suffix.
 */
export function wrongMember(
  info: { readonly accountType: AccountTypeName },
  mode: Mode,
  steered?: string,
): { readonly name: string; readonly refusal: string } | undefined {
  const { fields = {}, paymentOnly = {}, checks = {} } = accountType(info.accountType)
  const schemas: Readonly<Record<string, TextSchema>> = { ...paymentOnly, ...fields }
  const given = textMembers(info, Object.keys(schemas))
  for (const { name, value } of given) {
    const { pattern, maxLength } = schemas[name] ?? {}
    const check = checks[name]
    const isLength = value !== '' && isWithin(value, maxLength)
    if (!isLength && pattern === undefined) return { name, refusal: `must have 1 to ${maxLength} characters` }
    const isForm = isLength && (pattern === undefined || new RegExp(pattern, 'u').test(value))
    if (!isForm) return { name, refusal: check ? CHECKS[check].refusal : `must match ${pattern}` }
    if (check && !passes(check, value, toGiven(info, check, value, mode, name === steered), name === steered))
      return { name, refusal: CHECKS[check].refusal }
  }
  return undefined
}

/** Counts characters like JSON Schema, but only if the text is not obviously too long. */
function isWithin(text: string, charactersMax = Number.POSITIVE_INFINITY): boolean {
  return (
    text.length <= charactersMax || (text.length <= 2 * charactersMax && [...text].length <= charactersMax)
  )
}

function passes(name: AccountCheckName, value: string, given: CheckInput, isSteered: boolean): boolean {
  const { form, sum } = CHECKS[name]
  return (form?.(value, given) ?? true) && (isSteered || (sum?.(value, given) ?? true))
}

function toGiven(
  info: { readonly accountType: AccountTypeName },
  check: AccountCheckName,
  value: string,
  mode: Mode,
  isSteered: boolean,
): CheckInput {
  const { country, ibanCountries, rails } = accountType(info.accountType)
  const details: Readonly<Record<string, unknown>> = { ...info }
  const place = country ?? details.region ?? details.country
  const own = typeof place === 'string' ? [place] : undefined
  return {
    mode,
    details,
    stem: isSteered ? value.slice(0, -SUFFIX_CHARACTERS) : value,
    countries: check === 'iban' ? (ibanCountries ?? own) : own,
    isMobileWallet: rails.length > 0 && rails.every((rail) => rail === 'MOBILE_MONEY'),
  }
}

function detailError(member: string, what: string) {
  return fieldError('INVALID_BANK_ACCOUNT', `accountInfo.${member}`, `accountInfo.${member} ${what}`)
}

/**
 * The fingerprint of an account: a digest of its normalized identifiers and locating fields, which is equal
 * for the same account. An IBAN alone is enough. If a bank code is required, the bank's name does not count.
 */
export function fingerprintOf(info: AccountDetails, currency: string): string {
  const identifiers = identifiersOf(info)
  const iban = identifiers.find(({ name }) => name === 'iban')
  const members = iban ? [iban] : [identifiers[0], ...textMembers(info, locatorsOf(info.accountType))]
  const canonical = members.map(({ name, value }) => [name, canonicalForm(info.accountType, name, value)])
  return createHash('sha256')
    .update(toJson([info.accountType, currency, canonical]))
    .digest('hex')
}

function locatorsOf(type: AccountTypeName): readonly string[] {
  const required: readonly string[] = EXTERNAL_ACCOUNT_INFO.get(type)?.required ?? []
  const codes = BANK_CODES.filter((name) => required.includes(name))
  return [...PLACES, ...(codes.length > 0 ? codes : BANK_NAMES)]
}

const SPELLINGS: Partial<Record<AccountCheckName, (text: string) => string>> = {
  bic: (text) => text.padEnd(11, 'X'),
  bolt11: (text) => text.toLowerCase(),
  bolt12: (text) => text.toLowerCase(),
  evm: (text) => text.toLowerCase(),
  iban: (text) => text.toUpperCase(),
  pixKey: (text) => text.toLowerCase(),
  // Base58 is case-sensitive.
  solana: (text) => text,
  spark: sparkSpelling,
  tron: (text) => text,
  vpa: (text) => text.toLowerCase(),
}

function canonicalForm(type: AccountTypeName, name: string, value: string): string {
  // Dots and dashes are significant in the part before a host name.
  if (name === 'lightningAddress') return value
  const check = accountType(type).checks?.[name]
  const spelling = check && SPELLINGS[check]
  return spelling ? spelling(value) : lettersAndDigits(value)
}

/**
 * Normalizes numbers and names: no spaces, no dashes, one case. Text without any letter or digit is
 * unchanged.
 */
function lettersAndDigits(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toUpperCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}]/gu, '') || text
  )
}

function textMembers(info: object, names: readonly string[]) {
  const members = new Map<string, unknown>(Object.entries(info))
  return names.flatMap((name) => {
    const value = members.get(name)
    return typeof value === 'string' ? [{ name, value }] : []
  })
}
