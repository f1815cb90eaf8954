import type { Verification as VerificationSchema } from '@countersign/contract/customers/verifications'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { wordsOf } from '../../ui/status-meaning.ts'
import { type Listed, useListed } from '../../ui/use-listed.ts'

export type Verification = Static<typeof VerificationSchema>
export type VerificationError = Verification['errors'][number]

/** The state of the cases that wait for a person. */
export const WAITING_STATE = 'PENDING_MANUAL_REVIEW'

/** The cases that wait for a person, the oldest first. */
export function useWaitingCases(): Listed<Verification> {
  return useListed(['verifications', 'waiting'], (page) =>
    countersign.verifications.list({ verificationStatus: WAITING_STATE, sortOrder: 'asc', ...page }),
  )
}

/** The missing items, in words that fit a row. */
export function missingOf({ errors }: Verification): string {
  const [first] = errors
  if (!first) return ''
  return errors.length === 1 ? wordsOf(first.type) : `${wordsOf(first.type)} and ${errors.length - 1} more`
}
