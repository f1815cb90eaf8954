/**
 * Finds the account or quote of a deposit from the paid account and the references that its payer stated.
 * Pure. A reference is `CS` followed by 10 hex digits for an account, or 12 for a quote.
 */

const SHORT = 12
const LONG = 14
const REFERENCES_MAX = 20

/**
 * All possible references in a text, in upper case. Separators are removed first, because banks break lines
 * and payers add spaces and hyphens. The next word may then look like part of the reference, so both lengths
 * are returned.
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

/** An account or quote that a deposit may be for. */
export type Target =
  | { readonly kind: 'account'; readonly id: string }
  | { readonly kind: 'quote'; readonly transactionId: string; readonly quoteId: string }

/** `own` is the only owner of the paid account; `stated` are the targets of the stated references. */
export interface ReferenceMatches {
  readonly own: Target | undefined
  readonly stated: readonly Target[]
}

/**
 * The only target, or the reason why none was found. The stated references must not contradict the paid
 * account.
 */
export function targetOf({ own, stated }: ReferenceMatches): Target | 'NO_MATCH' | 'SEVERAL_MATCHES' {
  const all = new Map([...(own ? [own] : []), ...stated].map((target) => [targetKey(target), target]))
  if (all.size > 1) return 'SEVERAL_MATCHES'
  const [only] = all.values()
  return only ?? 'NO_MATCH'
}

function targetKey(target: Target): string {
  return target.kind === 'account' ? target.id : target.transactionId
}
