import { toLatin } from './sepa-text.ts'
import { type PaymentPart, UnwritablePayment } from './unreadable-file.ts'

/** Characters outside the Bacs character set, which has capital letters, digits and these signs. */
const UNKNOWN = /[^A-Z0-9.&/ -]/gu
export const BACS_TEXT_CHARACTERS = 18

/**
 * Converts text of any length to the Bacs character set. Letters lose their diacritics, and other characters
 * become a space. Throws UnwritablePayment if a letter of another script would be lost.
 */
export function toBacsText(text: string, label: string, part: PaymentPart = 'account'): string {
  const latin = toLatin(text.replaceAll('&', ' & '), undefined, /^[A-Za-z0-9.&/ -]$/).toUpperCase()
  const lost = [...latin.matchAll(UNKNOWN)].find(([character]) => /[\p{Letter}\p{Number}]/u.test(character))
  if (lost)
    throw new UnwritablePayment(`${label} contains the character ${lost[0]}, which Bacs cannot carry`, part)
  return latin.replaceAll(UNKNOWN, ' ').replaceAll(/ +/g, ' ').trim()
}

/** Like `toBacsText`, for a name: truncated to 18 characters, and with at least one letter or digit. */
export function toBacsName(text: string, label: string): string {
  const written = toBacsText(text, label)
  if (!/[A-Z0-9]/.test(written))
    throw new UnwritablePayment(`${label} has no letter or digit that Bacs can carry`)
  return written.slice(0, BACS_TEXT_CHARACTERS).trimEnd()
}
