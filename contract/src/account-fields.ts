import { type TObject, type TProperties, Type } from 'typebox'
import type { KnownCurrency } from './currencies.ts'
import type { PaymentRailName } from './rails.ts'
import { OneOfWords, Pattern, Text } from './schema.ts'

/** One row of the table of account types. */
export interface AccountTypeDeclaration {
  /** What an account of this type may hold. */
  readonly currencies: readonly KnownCurrency[]
  /** The country the account is in, where the type fixes it (ISO 3166-1 alpha-2). */
  readonly country?: string
  /** How money reaches it, the preferred rail first; a wallet has none. */
  readonly rails: readonly PaymentRailName[]
  /** What the holder tells about the account. Left out where there are payment instructions only. */
  readonly fields?: TProperties
  /**
   * The members that identify the account, the primary one first. At least one of them must be given; the
   * first that is given steers the sandbox by its last three characters (specification 4.16).
   */
  readonly identifiedBy: readonly string[]
  /** The individual that may hold it; a business always may. Left out where the holder is not asked for. */
  readonly individual?: TObject
  /** Payment instructions: what stands beside `fields` and the rails … */
  readonly paymentExtra?: TProperties
  /** … or what stands instead of them. */
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
  const times = countMax === count ? `${count}` : `${count},${countMax}`
  return Pattern(`^[0-9]{${times}}$`, { maxLength: countMax })
}

export function Iban(pattern: string) {
  return Pattern(pattern, { maxLength: 34, description: 'IBAN without spaces' })
}

export const AnyIban = Iban('^[A-Z]{2}[0-9]{2}[A-Za-z0-9]{11,30}$')

/** The number of a mobile wallet; `pattern` where its country is known. */
export function MobileNumber(pattern = '^\\+[0-9]{6,14}$') {
  return Pattern(pattern, { maxLength: 15, description: 'With country code and plus sign' })
}

/**
 * An address on a chain. Held to letters and digits only: the sandbox's suffixes are not valid base58, so the
 * chain's own checksum is for production's rail to check.
 */
export const WalletAddress = Pattern('^[0-9A-Za-z]{4,128}$', { maxLength: 128 })

/** Payment instructions that are told apart by a reference. */
export const byReference = {
  reference: Text(255, { description: 'Must travel with the payment: it finds the quote or account' }),
}

/** Payment instructions that name the asset to send. */
export function ofAsset<const T extends readonly string[]>(assets: T) {
  return { assetType: Type.Optional(OneOfWords(assets, 'The asset to send')) }
}
