import { UNREADABLE } from '@countersign/contract/core/schema'

/**
 * Characters that a quoted name must not contain: they would end the quotation, or change how the surrounding
 * text reads.
 */
const QUOTES = /["\u201c-\u201f\u301d-\u301f\uff02]/gu
const ANY_UNREADABLE = new RegExp(UNREADABLE, 'gu')

/**
 * Quotes a name in a sentence to be signed. The name cannot end the quotation: quotes in it become single
 * quotes, and unreadable characters are replaced.
 */
export function quoteName(name: string): string {
  return `\u201c${name.replaceAll(QUOTES, "'").replaceAll(ANY_UNREADABLE, '\ufffd')}\u201d`
}
