import { inLatin } from './sepa-text.ts'
import { type PaymentPart, UnwritablePayment } from './unreadable-file.ts'

/** Characters outside the Bacs character set: capital letters, digits and these signs. */
const UNKNOWN = /[^A-Z0-9.&/ -]/gu
export const BACS_TEXT_CHARACTERS = 18

/**
 * Converts text of any length to the Bacs character set. Letters lose their diacritics, and other characters
 * become a space. Throws UnwritablePayment if a letter of another script would be lost.
 */
export function bacsText(text: string, what: string, part: PaymentPart = 'account'): string {
  const latin = inLatin(text.replaceAll('&', ' & '), undefined, /^[A-Za-z0-9.&/ -]$/).toUpperCase()
  const lost = [...latin.matchAll(UNKNOWN)].find(([one]) => /[\p{Letter}\p{Number}]/u.test(one))
  if (lost) throw new UnwritablePayment(`${what} has the character ${lost[0]}, which Bacs cannot carry`, part)
  return latin.replaceAll(UNKNOWN, ' ').replaceAll(/ +/g, ' ').trim()
}

/** Like `bacsText`, for a name: truncated to 18 characters, and with at least one letter or digit. */
export function bacsName(text: string, what: string): string {
  const written = bacsText(text, what)
  if (!/[A-Z0-9]/.test(written))
    throw new UnwritablePayment(`${what} has no letter or digit that Bacs can carry`)
  return written.slice(0, BACS_TEXT_CHARACTERS).trimEnd()
}
