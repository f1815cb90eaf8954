/**
 * Finds the account or quote that a deposit is for, from the paid account and the payer's references. A
 * reference is `CS` followed by 10 hex digits for an account, or by 12 for a quote.
 */

const ACCOUNT_REFERENCE_LENGTH = 12
const QUOTE_REFERENCE_LENGTH = 14
const REFERENCES_MAX = 20

/**
 * Extracts all possible references from a text, in upper case. Separators are removed first, because banks
 * break lines and payers add spaces and hyphens. The next word may then look like part of a reference, so
 * both lengths are returned.
 */
export function extractReferences(text: string | undefined): string[] {
  const compact = (text ?? '').toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  const references = new Set<string>()
  for (const { index } of compact.matchAll(/CS(?=[0-9A-F]{10})/g)) {
    references.add(compact.slice(index, index + ACCOUNT_REFERENCE_LENGTH))
    const long = compact.slice(index, index + QUOTE_REFERENCE_LENGTH)
    if (/^CS[0-9A-F]{12}$/.test(long)) references.add(long)
    if (references.size >= REFERENCES_MAX) break
  }
  return [...references]
}

/** An account or quote that a deposit may be for. */
export type Target =
  | { readonly kind: 'account'; readonly id: string }
  | { readonly kind: 'quote'; readonly transactionId: string; readonly quoteId: string }

/** `own` is the only owner of the paid account. `stated` are the targets of the payer's references. */
export interface ReferenceMatches {
  readonly own: Target | undefined
  readonly stated: readonly Target[]
}

/**
 * Returns the only target, or the reason why no target was found. The payer's references must not contradict
 * the paid account.
 */
export function chooseTarget({ own, stated }: ReferenceMatches): Target | 'NO_MATCH' | 'SEVERAL_MATCHES' {
  const targets = new Map([...(own ? [own] : []), ...stated].map((target) => [toTargetKey(target), target]))
  if (targets.size > 1) return 'SEVERAL_MATCHES'
  const [only] = targets.values()
  return only ?? 'NO_MATCH'
}

function toTargetKey(target: Target): string {
  return target.kind === 'account' ? target.id : target.transactionId
}
