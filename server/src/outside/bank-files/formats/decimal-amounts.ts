import { getIso4217Decimals } from '../../../base/formats/iso-4217.ts'
import { UnreadablePart } from './unreadable-file.ts'

/** The maximum number of digits of an ISO 20022 amount. */
const DIGITS_MAX = 18
const SHOWN_CHARACTERS = 60
const INT64_MAX = 2n ** 63n - 1n

/** The number of decimal places of a currency in bank files. Undefined for unknown currencies. */
export function findDecimals(currency: string): number | undefined {
  return getIso4217Decimals(currency)
}

/**
 * Formats an amount in smallest units as a decimal number: 125000 in EUR is `1250.00`, 5 in JPY is `5`.
 * Throws for unknown currencies.
 */
export function formatDecimalAmount(amount: bigint, currency: string): string {
  const decimals = findDecimals(currency)
  if (decimals === undefined) throw new RangeError(`The currency ${currency} is not supported`)
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  if (decimals === 0) return `${sign}${digits}`
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/**
 * Parses a decimal number into smallest units. Trailing zeros beyond the currency's decimal places are
 * allowed. Throws UnreadablePart for other digits there, which would lose money, and for signs, exponents or
 * more than 18 digits.
 */
export function parseUnits(text: string, currency: string): bigint {
  const decimals = findDecimals(currency)
  if (decimals === undefined)
    throw new UnreadablePart(`has an amount in ${quoteForMessage(currency)}, which is not supported`)
  const [, whole, fraction = ''] = /^(?=\.?\d)(\d*)(?:\.(\d*))?$/.exec(text) ?? []
  if (whole === undefined || whole.length + fraction.length > DIGITS_MAX + decimals)
    throw new UnreadablePart(
      `has the amount ${quoteForMessage(text)}, which is not a decimal number of up to ${DIGITS_MAX} digits`,
    )
  if (/[1-9]/.test(fraction.slice(decimals)))
    throw new UnreadablePart(`has the amount ${text}, but ${currency} has ${decimals} decimals`)
  const units = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
  if (units > INT64_MAX) throw new UnreadablePart(`has the amount ${text}, which is too large`)
  return units
}

/** Quotes a string from a file for a message, shortened to one line. */
export function quoteForMessage(text: string): string {
  const line = text.replaceAll(/[^\x20-\x7e]/g, '?')
  return JSON.stringify(line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line)
}
