import { type TObject, type TProperties, Type } from 'typebox'
import type { KnownCurrency } from '../core/currencies.ts'
import type { PaymentRailName } from '../core/rails.ts'
import { OneOfWords, Pattern, Text } from '../core/schema.ts'

/** Descriptions of the checks on account fields. The server implements the checks under the same names. */
export const ACCOUNT_CHECKS = {
  aba: 'ABA routing number: an assigned prefix and the check digit',
  bic: 'BIC (ISO 9362) with an existing country code',
  bolt11: 'BOLT 11 invoice: bech32 checksum, network, fields',
  bolt12: 'BOLT 12 offer: its records and its issuer; parts separated by + are joined',
  cbu: 'CBU or CVU: both check digits',
  clabe: 'CLABE: the check digit',
  country: 'Country code of ISO 3166-1',
  evm: '0x and 40 hexadecimal digits; in mixed case the EIP-55 checksum',
  iban: 'IBAN (ISO 13616): country, its length and format in the registry, check digits',
  number: 'Letters A to Z in either case, digits 0 to 9, spaces, dots, dashes and slashes',
  phone:
    "Valid telephone number in the account's country; not a landline or toll-free number if only " +
    'MOBILE_MONEY reaches the account',
  pixKey:
    'PIX key of the stated type: check digits of CPF and CNPJ, e-mail address, Brazilian phone number, UUID',
  solana: 'Base58 of 32 bytes',
  spark: 'Spark address, also with the older prefix sp: bech32m checksum, identity key',
  tron: 'Base58check of 21 bytes that begin with 0x41',
  usAccount: '1 to 17 digits',
  vpa: 'name@handle; the handle of a branch is its IFSC: 4 letters, 0, 6 letters or digits',
} as const

export type AccountCheckName = keyof typeof ACCOUNT_CHECKS

/** Checks that consist of a pattern only. */
export const ACCOUNT_CHECK_PATTERNS = {
  number: '^[A-Za-z0-9 ./-]*[A-Za-z0-9][A-Za-z0-9 ./-]*$',
  usAccount: '^[0-9]{1,17}$',
} as const satisfies { readonly [name in AccountCheckName]?: string }

/** Countries that a SEPA payment can reach (European Payments Council, list of the SEPA scheme countries). */
export const SEPA_COUNTRIES = [
  ...['AD', 'AL', 'AT', 'BE', 'BG', 'CH', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GB', 'GI', 'GR'],
  ...['HR', 'HU', 'IE', 'IS', 'IT', 'LI', 'LT', 'LU', 'LV', 'MC', 'MD', 'ME', 'MK', 'MT', 'NL', 'NO', 'PL'],
  ...['PT', 'RO', 'RS', 'SE', 'SI', 'SK', 'SM', 'VA'],
] as const

/** One row of the account type table. */
export interface AccountTypeDeclaration {
  /** The currencies that accounts of this type can hold. */
  readonly currencies: readonly KnownCurrency[]
  /** Set if all accounts of this type are in the same country (ISO 3166-1 alpha-2). */
  readonly country?: string
  /** The rails that reach the account, preferred one first. Empty for a wallet. */
  readonly rails: readonly PaymentRailName[]
  /** True if the account is on a chain, so that payments to it have a transaction hash. */
  readonly isChain?: boolean
  /** The fields in a request. Absent if the type only exists in payment instructions. */
  readonly fields?: TProperties
  /**
   * The fields that identify the account, primary one first. At least one is required. The last three
   * characters of the first one given control the sandbox (specification 4.16).
   */
  readonly identifiedBy: readonly string[]
  /** The field that takes the exact name of a bank or mobile money operator (`institutions.ts`). */
  readonly institution?: 'bankName' | 'provider'
  /** Checks beyond the pattern, by field. */
  readonly checks?: Readonly<Record<string, AccountCheckName>>
  /** Countries allowed in the IBAN, if not only the account's own. */
  readonly ibanCountries?: readonly string[]
  /** Examples of requests, without the holder. They pass every check. */
  readonly examples?: readonly Readonly<Record<string, string>>[]
  /**
   * The schema of an individual holder. A business can hold an account of any type. Absent if no holder is
   * required.
   */
  readonly individual?: TObject
  /** For payment instructions: fields in addition to `fields` and the rails … */
  readonly paymentExtra?: TProperties
  /** … or fields that replace them. */
  readonly paymentOnly?: TProperties
}

export const AccountNumber = Text(34)
export const BankName = Text(255)
export const MobileProvider = Text(255, { description: 'The mobile money operator' })
export const BankAccountType = OneOfWords(['CHECKING', 'SAVINGS'])

export const SwiftCode = Pattern('^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$', {
  maxLength: 11,
  description: 'BIC, 8 or 11 characters',
})

/** A string of exactly `count` digits, or of `count` to `countMax` digits. */
export function Digits(count: number, countMax = count) {
  const isFixedLength = countMax === count
  return Pattern(`^[0-9]{${isFixedLength ? count : `${count},${countMax}`}}$`, {
    maxLength: countMax,
    description: isFixedLength ? `${count} digits` : `${count} to ${countMax} digits`,
  })
}

export function Iban(pattern: string) {
  return Pattern(pattern, { maxLength: 34, description: 'IBAN without spaces' })
}

export const AnyIban = Iban('^[A-Z]{2}[0-9]{2}[A-Za-z0-9]{11,30}$')

/** Pass `pattern` if the country is known. */
export function MobileNumber(pattern = '^\\+[0-9]{6,14}$') {
  return Pattern(pattern, { maxLength: 15, description: 'Phone number with country code and plus sign' })
}

/** An address on a chain. Its format is checked by the account type. */
export const WalletAddress = Pattern('^[0-9A-Za-z]{4,128}$', {
  maxLength: 128,
  description: 'Address on the chain',
})

/** Fields of payment instructions identified by a reference. */
export const byReference = {
  reference: Text(255, { description: 'Must be sent with the payment: it identifies the quote or account' }),
}

/** Fields of payment instructions that name the asset to send. */
export function withAsset<const T extends readonly string[]>(assets: T) {
  return { assetType: Type.Optional(OneOfWords(assets, 'The asset to send')) }
}
