import { createHash } from 'node:crypto'
import type { AccountCheckName } from '@countersign/contract/accounts/account-fields'
import {
  type AccountTypeName,
  accountType,
  EXTERNAL_ACCOUNT_INFO,
} from '@countersign/contract/accounts/account-types'
import { joinOffer, toSparkSpelling } from '../../base/formats/addresses.ts'
import { toJson } from '../../base/json/json.ts'
import { findBeneficiaryOutcome, isMagicSuffix, takeSuffix } from '../../kernel/magic-values/magic-values.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import { CHECKS, type CheckInput } from './checks.ts'
import { checkInstitution } from './institution.ts'

/** Rules for account details that JSON Schema patterns cannot express. */

type Mode = 'sandbox' | 'production'

const SUFFIX_CHARACTERS = 3

/** Fields that locate an account. The same account number at two banks identifies two accounts. */
const PLACE_FIELDS = ['country', 'region'] as const
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
export function listIdentifiers(info: AccountDetails): readonly [Identifier, ...Identifier[]] {
  const names = accountType(info.accountType).identifiedBy
  const [first, ...others] = pickStrings(info, names)
  if (!first)
    throw createFieldError(
      'INVALID_INPUT',
      `accountInfo.${names[0]}`,
      `accountInfo must have ${names.join(' or ')}`,
    )
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
  const [primary] = listIdentifiers(info)
  const suffix = takeSuffix(primary.value)
  const isSteered = mode === 'sandbox' && isMagicSuffix(suffix)
  const invalidField = findInvalidField(info, mode, isSteered ? primary.name : undefined)
  if (invalidField) throw toDetailError(invalidField.name, invalidField.refusal)
  checkInstitution(info)
  if (mode === 'sandbox' && findBeneficiaryOutcome(suffix) === 'INVALID')
    throw toDetailError(primary.name, 'does not belong to an account (sandbox suffix 105)')
}

/**
 * True if the text is a valid identifier for this account type. In the sandbox it may have a magic suffix.
 */
export function isValidIdentifier(type: AccountTypeName, text: string, mode: Mode): boolean {
  const isSteered = mode === 'sandbox' && isMagicSuffix(takeSuffix(text))
  return accountType(type).identifiedBy.some(
    (member) =>
      !findInvalidField({ accountType: type, [member]: text }, mode, isSteered ? member : undefined),
  )
}

interface TextSchema {
  readonly pattern?: string
  readonly maxLength?: number
}

/**
 * Finds the first invalid field, with the end of the error sentence about it. `steered` is the field with a
 * magic suffix.
 */
export function findInvalidField(
  info: { readonly accountType: AccountTypeName },
  mode: Mode,
  steered?: string,
): { readonly name: string; readonly refusal: string } | undefined {
  const { fields = {}, paymentOnly = {}, checks = {} } = accountType(info.accountType)
  const schemas: Readonly<Record<string, TextSchema>> = { ...paymentOnly, ...fields }
  const values = pickStrings(info, Object.keys(schemas))
  for (const { name, value } of values) {
    const { pattern, maxLength } = schemas[name] ?? {}
    const check = checks[name]
    const hasValidLength = value !== '' && isWithin(value, maxLength)
    if (!hasValidLength && pattern === undefined)
      return { name, refusal: `must have 1 to ${maxLength} characters` }
    const hasValidForm = hasValidLength && (pattern === undefined || new RegExp(pattern, 'u').test(value))
    if (!hasValidForm) return { name, refusal: check ? CHECKS[check].refusal : `must match ${pattern}` }
    if (
      check &&
      !passesCheck(check, value, toCheckInput(info, check, value, mode, name === steered), name === steered)
    )
      return { name, refusal: CHECKS[check].refusal }
  }
  return undefined
}

/** Counts characters like JSON Schema, unless the text is obviously too long. */
function isWithin(text: string, charactersMax = Number.POSITIVE_INFINITY): boolean {
  return (
    text.length <= charactersMax || (text.length <= 2 * charactersMax && [...text].length <= charactersMax)
  )
}

function passesCheck(name: AccountCheckName, value: string, values: CheckInput, isSteered: boolean): boolean {
  const { form, sum } = CHECKS[name]
  return (form?.(value, values) ?? true) && (isSteered || (sum?.(value, values) ?? true))
}

function toCheckInput(
  info: { readonly accountType: AccountTypeName },
  check: AccountCheckName,
  value: string,
  mode: Mode,
  isSteered: boolean,
): CheckInput {
  const { country, ibanCountries, rails } = accountType(info.accountType)
  const details: Readonly<Record<string, unknown>> = { ...info }
  const place = country ?? details.region ?? details.country
  const countries = typeof place === 'string' ? [place] : undefined
  return {
    mode,
    details,
    stem: isSteered ? value.slice(0, -SUFFIX_CHARACTERS) : value,
    countries: check === 'iban' ? (ibanCountries ?? countries) : countries,
    isMobileWallet: rails.length > 0 && rails.every((rail) => rail === 'MOBILE_MONEY'),
  }
}

function toDetailError(member: string, what: string) {
  return createFieldError('INVALID_BANK_ACCOUNT', `accountInfo.${member}`, `accountInfo.${member} ${what}`)
}

/**
 * The fingerprint of an account: a digest of its normalized identifiers and location. An IBAN needs no
 * location. If a bank code is required, the bank's name does not count.
 */
export function computeFingerprint(info: AccountDetails, currency: string): string {
  const identifiers = listIdentifiers(info)
  const iban = identifiers.find(({ name }) => name === 'iban')
  const members = iban ? [iban] : [identifiers[0], ...pickStrings(info, listLocators(info.accountType))]
  const canonical = members.map(({ name, value }) => [name, toCanonicalForm(info.accountType, name, value)])
  return createHash('sha256')
    .update(toJson([info.accountType, currency, canonical]))
    .digest('hex')
}

function listLocators(type: AccountTypeName): readonly string[] {
  const required: readonly string[] = EXTERNAL_ACCOUNT_INFO.get(type)?.required ?? []
  const codes = BANK_CODES.filter((name) => required.includes(name))
  return [...PLACE_FIELDS, ...(codes.length > 0 ? codes : BANK_NAMES)]
}

const NORMALIZERS: Partial<Record<AccountCheckName, (text: string) => string>> = {
  bic: (text) => text.padEnd(11, 'X'),
  bolt11: (text) => text.toLowerCase(),
  bolt12: (text) => text.toLowerCase(),
  evm: (text) => text.toLowerCase(),
  iban: (text) => text.toUpperCase(),
  pixKey: (text) => text.toLowerCase(),
  // Base58 is case-sensitive.
  solana: (text) => text,
  spark: toSparkSpelling,
  tron: (text) => text,
  vpa: (text) => text.toLowerCase(),
}

function toCanonicalForm(type: AccountTypeName, name: string, value: string): string {
  // Dots and dashes are significant in the part before a host name.
  if (name === 'lightningAddress') return value
  const check = accountType(type).checks?.[name]
  const normalize = check && NORMALIZERS[check]
  return normalize ? normalize(value) : stripPunctuation(value)
}

/**
 * Removes spaces and punctuation, and converts to upper case. Leaves text without any letter or digit
 * unchanged.
 */
function stripPunctuation(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toUpperCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}]/gu, '') || text
  )
}

function pickStrings(info: object, names: readonly string[]) {
  const members = new Map<string, unknown>(Object.entries(info))
  return names.flatMap((name) => {
    const value = members.get(name)
    return typeof value === 'string' ? [{ name, value }] : []
  })
}
