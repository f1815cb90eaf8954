import { UNREADABLE } from '@countersign/contract/core/schema'

const CHARACTERS_MAX = 500
const EACH = new RegExp(UNREADABLE, 'gu')

/**
 * A foreign string in a form that people can read and a database can store: one line, truncated between
 * characters. Undefined if nothing is left.
 */
export function toReadableLine(text: string | undefined, charactersMax = CHARACTERS_MAX): string | undefined {
  const line = (text ?? '').toWellFormed().replaceAll(EACH, ' ').trim()
  return line === '' ? undefined : [...line].slice(0, charactersMax).join('')
}
