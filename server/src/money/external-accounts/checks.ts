import { ACCOUNT_CHECK_PATTERNS, type AccountCheckName } from '@countersign/contract/accounts/account-fields'
import { getCountrySpecifications, isValidBIC, isValidIBAN } from 'ibantools'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import {
  hasEvmChecksum,
  isLightningInvoice,
  isLightningOffer,
  isSolanaKey,
  isSparkAddress,
  isTronAddress,
} from '../../base/formats/addresses.ts'
import { isCbu, isClabe, isCnpj, isCpf, isRoutingNumber } from '../../base/formats/check-digits.ts'

/** The input of a check in addition to the checked text. */
export interface CheckInput {
  readonly mode: 'sandbox' | 'production'
  /** The text without a magic suffix of the sandbox. Only this part must use the format's alphabet. */
  readonly stem: string
  /** The countries that the account may be in; undefined if its type does not determine them. */
  readonly countries: readonly string[] | undefined
  /** True if the account can be reached only by mobile money. */
  readonly isMobileWallet: boolean
  /** The other fields of the account. */
  readonly details: Readonly<Record<string, unknown>>
}

/**
 * A check of one field. `form` always applies. `sum` checks the check digits, and does not apply to text with
 * a magic suffix.
 */
interface Check {
  readonly form?: (text: string, input: CheckInput) => boolean
  readonly sum?: (text: string, input: CheckInput) => boolean
  /** The end of the error sentence, which begins with the field. */
  readonly refusal: string
}

const COUNTRIES = getCountrySpecifications()
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/
const BECH32 = /^[qpzry9x8gf2tvdw0s3jn54khce6mua7l]+$/
const SOLANA_CHARACTERS = { min: 32, max: 44 }
const TRON_CHARACTERS = 34
/** The key with its two framing bytes in 5-bit words, and the checksum. */
const SPARK_DATA_CHARACTERS_MIN = 62
/** Timestamp, payment hash, signature and checksum. */
const INVOICE_DATA_CHARACTERS_MIN = 172
const IFSC = /^[A-Z]{4}0[A-Z0-9]{6}$/
/** A payment handle that looks like a mistyped IFSC. The handles of payment services are words. */
const BRANCH_HANDLE = /^[A-Z]{4}[A-Z0-9]\d{6}$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** For each mode, the current and the previous prefix. */
const SPARK_PREFIXES = {
  production: ['spark', 'sp'],
  sandbox: ['spark', 'sp', 'sparkrt', 'sprt'],
} as const
const INVOICE_PREFIXES = { production: ['lnbc'], sandbox: ['lnbc', 'lntb', 'lntbs', 'lnbcrt'] } as const

/** The check of a PIX key, by the type stated with it. */
const PIX_KEYS: Readonly<Record<string, Omit<Check, 'refusal'>>> = {
  CPF: { form: (text) => /^\d{11}$/.test(text), sum: isCpf },
  CNPJ: { form: (text) => /^[0-9A-Z]{12}\d{2}$/.test(text), sum: isCnpj },
  EMAIL: { form: (text) => EMAIL.test(text) },
  PHONE: { form: (text) => isPhoneNumberIn(text, ['BR']) },
  RANDOM: { form: (text) => UUID.test(text) },
}

const NUMBER = new RegExp(ACCOUNT_CHECK_PATTERNS.number)
const US_ACCOUNT = new RegExp(ACCOUNT_CHECK_PATTERNS.usAccount)

/** The checks that the table of account types names. Every function accepts any string. */
export const CHECKS: Readonly<Record<AccountCheckName, Check>> = {
  aba: { sum: isRoutingNumber, refusal: 'is not an ABA routing number' },
  bic: { form: isValidBIC, refusal: 'is not a BIC' },
  bolt11: {
    form: isInvoiceForm,
    sum: isLightningInvoice,
    refusal: 'is not a BOLT 11 invoice of this network',
  },
  bolt12: { form: isOfferForm, sum: isLightningOffer, refusal: 'is not a BOLT 12 offer' },
  cbu: { sum: isCbu, refusal: 'is not a CBU or CVU' },
  clabe: { sum: isClabe, refusal: 'has a wrong check digit' },
  country: { form: (text) => Object.hasOwn(COUNTRIES, text), refusal: 'is not an ISO 3166-1 country code' },
  evm: {
    form: (text) => /^0x[0-9a-fA-F]{40}$/.test(text),
    sum: hasEvmChecksum,
    refusal:
      'is not an EVM address. It must be 0x and 40 hexadecimal digits; mixed case must match the EIP-55 checksum',
  },
  iban: {
    form: isIbanForm,
    sum: (text) => isValidIBAN(text.toUpperCase()),
    refusal:
      'is not a valid IBAN for this type of account. Check its country, length, format and check digits',
  },
  number: {
    form: (text) => NUMBER.test(text),
    refusal:
      'is not an account number. It may contain only letters A to Z, digits, spaces, dots, dashes and slashes',
  },
  phone: {
    form: (text, { countries, isMobileWallet }) =>
      isPhoneNumberIn(text, countries) && (!isMobileWallet || mayBeMobile(text)),
    refusal:
      "is not a phone number of the account's country, or not a mobile number although one is required",
  },
  pixKey: {
    form: (text, input) => findPixKeyCheck(input)?.form?.(text, input) ?? false,
    sum: (text, input) => findPixKeyCheck(input)?.sum?.(text, input) ?? true,
    refusal: 'is not a PIX key of the type that pixKeyType states',
  },
  solana: {
    form: (text, { stem }) =>
      text.length >= SOLANA_CHARACTERS.min && text.length <= SOLANA_CHARACTERS.max && BASE58.test(stem),
    sum: isSolanaKey,
    refusal: 'is not a Solana address',
  },
  spark: { form: isSparkForm, sum: isSparkAddress, refusal: 'is not a Spark address of this network' },
  tron: {
    form: (text, { stem }) => text.length === TRON_CHARACTERS && text.startsWith('T') && BASE58.test(stem),
    sum: isTronAddress,
    refusal: 'is not a Tron address',
  },
  usAccount: {
    form: (text) => US_ACCOUNT.test(text),
    refusal: 'must be 1 to 17 digits',
  },
  vpa: { form: isVpa, refusal: 'is not a UPI address' },
}

/** Territories whose IBANs use the code of another country (registry of ISO 13616). */
const IBAN_COUNTRIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['GG', 'IM', 'JE'].map((territory) => [territory, 'GB'])),
  ...Object.fromEntries(
    ['BL', 'GF', 'GP', 'MF', 'MQ', 'NC', 'PF', 'PM', 'RE', 'TF', 'WF', 'YT'].map((territory) => [
      territory,
      'FR',
    ]),
  ),
  AX: 'FI',
}

/**
 * True if an IBAN has the registered length and structure of its country, and the account is in that country.
 */
function isIbanForm(text: string, { countries }: CheckInput): boolean {
  const iban = text.toUpperCase()
  const country = iban.slice(0, 2)
  const { chars, bban_regexp } = COUNTRIES[country] ?? {}
  if (!chars || !bban_regexp || iban.length !== chars || !/^\d\d$/.test(iban.slice(2, 4))) return false
  const isInAccountCountry =
    countries?.some(
      (accountCountry) => accountCountry === country || IBAN_COUNTRIES[accountCountry] === country,
    ) ?? true
  return isInAccountCountry && new RegExp(bban_regexp).test(iban.slice(4))
}

function isPhoneNumberIn(text: string, countries: readonly string[] | undefined): boolean {
  const number = parsePhoneNumberFromString(text)
  // Requires exact E.164, because an extension would be lost.
  if (!number?.isValid() || number.number !== text) return false
  return countries === undefined || countries.some((country) => country === number.country)
}

/** True unless the number is known not to be a mobile number. */
function mayBeMobile(text: string): boolean {
  const kind = parsePhoneNumberFromString(text)?.getType()
  return kind === undefined || kind === 'MOBILE' || kind === 'FIXED_LINE_OR_MOBILE'
}

function findPixKeyCheck({ details }: CheckInput) {
  return PIX_KEYS[String(details.pixKeyType)]
}

function isVpa(text: string): boolean {
  const [, handle = ''] = text.toUpperCase().split('@')
  return !BRANCH_HANDLE.test(handle) || IFSC.test(handle)
}

/** Bech32 does not mix upper and lower case. */
function isOneCase(text: string): boolean {
  return text === text.toLowerCase() || text === text.toUpperCase()
}

/**
 * True for `prefix`, then 1, then at least `dataCharactersMin` bech32 characters including a magic suffix.
 */
function isBech32Form(text: string, stem: string, prefixes: RegExp, dataCharactersMin: number): boolean {
  const [prefix] = prefixes.exec(text.toLowerCase()) ?? []
  if (prefix === undefined || !isOneCase(text)) return false
  return (
    text.length - prefix.length >= dataCharactersMin && BECH32.test(stem.toLowerCase().slice(prefix.length))
  )
}

function isSparkForm(text: string, { mode, stem }: CheckInput): boolean {
  const prefixes = new RegExp(`^(?:${SPARK_PREFIXES[mode].join('|')})1`)
  return isBech32Form(text, stem, prefixes, SPARK_DATA_CHARACTERS_MIN)
}

function isInvoiceForm(text: string, { mode, stem }: CheckInput): boolean {
  const prefixes = new RegExp(`^(?:${INVOICE_PREFIXES[mode].join('|')})(?:\\d+[munp]?)?1`)
  return isBech32Form(text, stem, prefixes, INVOICE_DATA_CHARACTERS_MIN)
}

function isOfferForm(text: string, { stem }: CheckInput): boolean {
  return isBech32Form(text, stem, /^lno1/, 1)
}
