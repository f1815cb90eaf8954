import { UNREADABLE } from '@countersign/contract/core/schema'

const CHARACTERS_MAX = 500
const EACH = new RegExp(UNREADABLE, 'gu')

/**
 * A text of somebody else as people can read it and a database can store it: one line, cut between characters. Undefined
 * where nothing is left.
 */
export function readable(text: string | undefined, charactersMax = CHARACTERS_MAX): string | undefined {
  const line = (text ?? '').toWellFormed().replaceAll(EACH, ' ').trim()
  return line === '' ? undefined : [...line].slice(0, charactersMax).join('')
}
