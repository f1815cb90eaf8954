import type { Verification as VerificationSchema } from '@countersign/contract/customers/verifications'
import type { Static } from 'typebox'
import { wordsOf } from '../../ui/status-meaning.ts'

export type Verification = Static<typeof VerificationSchema>
export type VerificationError = Verification['errors'][number]

/** The missing items, in words that fit a row. */
export function missingOf({ errors }: Verification): string {
  const [first] = errors
  if (!first) return ''
  return errors.length === 1 ? wordsOf(first.type) : `${wordsOf(first.type)} and ${errors.length - 1} more`
}
