import { UNREADABLE } from '@countersign/contract/core/schema'

/**
 * Characters not allowed within a quoted name, because they would end the quotation or change how the
 * surrounding text reads.
 */
const QUOTES = /["\u201c-\u201f\u301d-\u301f\uff02]/gu
const ANY_UNREADABLE = new RegExp(UNREADABLE, 'gu')

/**
 * Quotes a name in a sentence that will be signed. Quotes within the name become single quotes, so that it
 * cannot end the quotation, and unreadable characters are replaced.
 */
export function quoteName(name: string): string {
  return `\u201c${name.replaceAll(QUOTES, "'").replaceAll(ANY_UNREADABLE, '\ufffd')}\u201d`
}
