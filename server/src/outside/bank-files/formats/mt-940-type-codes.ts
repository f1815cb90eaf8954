/**
 * Transaction types in field 61: three letters that classify an amount. Only types that have an effect here
 * are listed.
 */

/** The issuer name of these types, which distinguishes them from ISO 20022 codes and the bank's own. */
export const SWIFT_ISSUER = 'SWIFT'

/** `RETURN`: a payment was returned. */
export type SwiftTypeMeaning = 'FEE' | 'INTEREST' | 'RETURN'

export const SWIFT_TYPES: Readonly<
  Record<string, { readonly words: string; readonly meaning: SwiftTypeMeaning }>
> = {
  BNK: { words: 'Bank fees', meaning: 'FEE' },
  CHG: { words: 'Charges and other expenses', meaning: 'FEE' },
  COM: { words: 'Commission', meaning: 'FEE' },
  INT: { words: 'Interest', meaning: 'INTEREST' },
  RTI: { words: 'Returned item', meaning: 'RETURN' },
}

/**
 * Finds the meaning of a type such as `NCHG`, or of a code that starts with it, such as `NCHG+808+9310+000`.
 */
export function findSwiftTypeMeaning(code: string): SwiftTypeMeaning | undefined {
  const type = code.slice(1, 4)
  return Object.hasOwn(SWIFT_TYPES, type) ? SWIFT_TYPES[type]?.meaning : undefined
}
