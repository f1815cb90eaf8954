import { UNREADABLE } from '@countersign/contract/core/schema'

/** What stands in a name where it must not be: it would end the quotation, or change what is read around it. */
const QUOTES = /["\u201c-\u201f\u301d-\u301f\uff02]/gu
const ANY_UNREADABLE = new RegExp(UNREADABLE, 'gu')

/**
 * A name as it stands in a sentence that somebody signs. Whatever the name is, it ends where the quotation does: quotes
 * in it become single ones, and what cannot be read is shown as such.
 */
export function quoted(name: string): string {
  return `\u201c${name.replaceAll(QUOTES, "'").replaceAll(ANY_UNREADABLE, '\ufffd')}\u201d`
}
