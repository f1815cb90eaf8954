import { type TObject, type TProperties, Type } from 'typebox'
import type { KnownCurrency } from '../core/currencies.ts'
import type { PaymentRailName } from '../core/rails.ts'
import { OneOfWords, Pattern, Text } from '../core/schema.ts'

/** The checks of an account's fields, in words. The server implements them under the same names. */
export const ACCOUNT_CHECKS = {
  aba: 'ABA routing number: a prefix in use, and its check digit',
  bic: 'BIC (ISO 9362) of an existing country',
  bolt11: 'BOLT 11 invoice: bech32 checksum, network, fields',
  bolt12: 'BOLT 12 offer: its records and its issuer; parts separated by + are joined',
  cbu: 'CBU or CVU: both check digits',
  clabe: 'CLABE: its check digit',
  country: 'Country of ISO 3166-1',
  evm: '0x and 40 hexadecimal digits; in mixed case the EIP-55 checksum',
  iban: 'IBAN (ISO 13616): country, length and form by the registry, check digits',
  number: 'Letters A to Z in either case, digits 0 to 9, spaces, dots, dashes and slashes',
  phone:
    "Valid telephone number of the account's country; no landline or toll-free number where " +
    'only MOBILE_MONEY reaches the account',
  pixKey:
    'PIX key of the stated kind: check digits of CPF and CNPJ, e-mail address, Brazilian phone number, UUID',
  solana: 'Base58 of 32 bytes',
  spark: 'Spark address, also with the older prefix sp: bech32m checksum, an identity key',
  tron: 'Base58check of 21 bytes that begin with 0x41',
  usAccount: '1 to 17 digits',
  vpa: 'name@handle; the handle of a branch is its IFSC: 4 letters, 0, 6 letters or digits',
} as const

export type AccountCheckName = keyof typeof ACCOUNT_CHECKS

/** The checks that are only a pattern. */
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
  /** The currencies that an account of this type may hold. */
  readonly currencies: readonly KnownCurrency[]
  /** Set if the type fixes the country (ISO 3166-1 alpha-2). */
  readonly country?: string
  /** The rails that reach it, the preferred one first; empty for a wallet. */
  readonly rails: readonly PaymentRailName[]
  /** Payments to an account on a chain have a transaction hash. */
  readonly isChain?: boolean
  /** Fields of a request. Absent if the type exists in payment instructions only. */
  readonly fields?: TProperties
  /**
   * The fields that identify the account, the primary one first. At least one must be given. The last three
   * characters of the first given one control the sandbox (specification 4.16).
   */
  readonly identifiedBy: readonly string[]
  /** The field with the exact name of a bank or operator (`institutions.ts`). */
  readonly institution?: 'bankName' | 'provider'
  /** The checks of a field beyond its pattern, by field. */
  readonly checks?: Readonly<Record<string, AccountCheckName>>
  /** The countries that its IBAN may have, if more than the account's own. */
  readonly ibanCountries?: readonly string[]
  /** Examples as a caller sends them, without the holder. They pass every check. */
  readonly examples?: readonly Readonly<Record<string, string>>[]
  /** The schema of an individual holder; a business may hold any. Absent if no holder is required. */
  readonly individual?: TObject
  /** Payment instructions: fields added to `fields` and the rails … */
  readonly paymentExtra?: TProperties
  /** … or fields in place of them. */
  readonly paymentOnly?: TProperties
}

export const AccountNumber = Text(34)
export const BankName = Text(255)
export const MobileProvider = Text(255, { description: 'Operator of the mobile wallet' })
export const BankAccountType = OneOfWords(['CHECKING', 'SAVINGS'])

export const SwiftCode = Pattern('^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$', {
  maxLength: 11,
  description: 'BIC, 8 or 11 characters',
})

/** Exactly `count` digits, or from `count` to `countMax`. */
export function Digits(count: number, countMax = count) {
  const isOne = countMax === count
  return Pattern(`^[0-9]{${isOne ? count : `${count},${countMax}`}}$`, {
    maxLength: countMax,
    description: isOne ? `${count} digits` : `${count} to ${countMax} digits`,
  })
}

export function Iban(pattern: string) {
  return Pattern(pattern, { maxLength: 34, description: 'IBAN without spaces' })
}

export const AnyIban = Iban('^[A-Z]{2}[0-9]{2}[A-Za-z0-9]{11,30}$')

/** `pattern` is given if the country is known. */
export function MobileNumber(pattern = '^\\+[0-9]{6,14}$') {
  return Pattern(pattern, { maxLength: 15, description: 'With country code and plus sign' })
}

/** An address on a chain. The checks of the account type enforce its form. */
export const WalletAddress = Pattern('^[0-9A-Za-z]{4,128}$', {
  maxLength: 128,
  description: 'Address on the chain',
})

/** Payment instructions that a reference identifies. */
export const byReference = {
  reference: Text(255, { description: 'Must be sent with the payment: it identifies the quote or account' }),
}

/** Payment instructions that name the asset to send. */
export function ofAsset<const T extends readonly string[]>(assets: T) {
  return { assetType: Type.Optional(OneOfWords(assets, 'The asset to send')) }
}
