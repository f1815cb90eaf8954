import { UNREADABLE } from '@countersign/contract/core/schema'

const CHARACTERS_MAX = 500
const EACH = new RegExp(UNREADABLE, 'gu')

/**
 * Converts untrusted text to one line that people can read and the database can store, truncated between
 * characters. Undefined if nothing is left.
 */
export function toReadableLine(text: string | undefined, charactersMax = CHARACTERS_MAX): string | undefined {
  const line = (text ?? '').toWellFormed().replaceAll(EACH, ' ').trim()
  return line === '' ? undefined : [...line].slice(0, charactersMax).join('')
}
