import type { Verification as VerificationSchema } from '@countersign/contract/customers/verifications'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { formatConstant } from '../../ui/status-meaning.ts'
import { type PagedList, usePagedList } from '../../ui/use-listed.ts'

export type Verification = Static<typeof VerificationSchema>
export type VerificationError = Verification['errors'][number]

/** The state of cases that are waiting for a reviewer. */
export const WAITING_STATE = 'PENDING_MANUAL_REVIEW'

/** Loads the cases waiting for a reviewer, oldest first. */
export function useWaitingCases(): PagedList<Verification> {
  return usePagedList(['verifications', 'waiting'], (page) =>
    countersign.verifications.list({ verificationStatus: WAITING_STATE, sortOrder: 'asc', ...page }),
  )
}

/** Summarizes the missing items briefly enough for a table row. */
export function describeMissing({ errors }: Verification): string {
  const [first] = errors
  if (!first) return ''
  return errors.length === 1
    ? formatConstant(first.type)
    : `${formatConstant(first.type)} and ${errors.length - 1} more`
}
