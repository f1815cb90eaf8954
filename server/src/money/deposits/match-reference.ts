/**
 * Finds the account or quote of a deposit, by the deposit account and by the references that its payer has
 * stated: pure. A reference is `CS` and 10 (an account) or 12 (a quote) digits in hex.
 */

const SHORT = 12
const LONG = 14
const REFERENCES_MAX = 20

/**
 * Every possible reference in a text, in capitals. Banks break lines, and payers write spaces and hyphens, so
 * the text is read without them; the text after a reference may look like a part of it, so both lengths are
 * tried.
 */
export function referencesIn(text: string | undefined): string[] {
  const compact = (text ?? '').toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  const found = new Set<string>()
  for (const { index } of compact.matchAll(/CS(?=[0-9A-F]{10})/g)) {
    found.add(compact.slice(index, index + SHORT))
    const long = compact.slice(index, index + LONG)
    if (/^CS[0-9A-F]{12}$/.test(long)) found.add(long)
    if (found.size >= REFERENCES_MAX) break
  }
  return [...found]
}

/** A deposit's possible owners. */
export type Target =
  | { readonly kind: 'account'; readonly id: string }
  | { readonly kind: 'quote'; readonly transactionId: string; readonly quoteId: string }

/** The matches: `own` by a deposit account of a single owner; `stated` by references. */
export interface ReferenceMatches {
  readonly own: Target | undefined
  readonly stated: readonly Target[]
}

/**
 * The only target, or the reason why none was found. Stated references must agree with the deposit account.
 */
export function targetOf({ own, stated }: ReferenceMatches): Target | 'NO_MATCH' | 'SEVERAL_MATCHES' {
  const all = new Map([...(own ? [own] : []), ...stated].map((target) => [keyOf(target), target]))
  if (all.size > 1) return 'SEVERAL_MATCHES'
  const [only] = all.values()
  return only ?? 'NO_MATCH'
}

function keyOf(target: Target): string {
  return target.kind === 'account' ? target.id : target.transactionId
}
