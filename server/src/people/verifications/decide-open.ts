import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { VerificationRow } from '../../storage/rows/verification.ts'
import { findCustomer } from '../customers/customers.ts'
import { computeCaseDigest, findCase } from './case.ts'
import { type Decider, decideCase, type Outcome } from './decide.ts'
import { isOpen, type VerificationChange } from './verifications.ts'

/**
 * Decides an open verification by the result of a submission. Throws like `decideCase`, or 409
 * `SUBMISSION_OUTDATED` if the customer or an owner has changed since that submission.
 */
export async function decideOpen(
  op: Op,
  verification: VerificationRow,
  { submission, ...outcome }: Outcome & { readonly submission?: number },
  decider: Decider,
): Promise<VerificationChange> {
  const customer = await findCustomer(op, verification.customer_id)
  const caseData = await findCase(op, customer)
  const isOutdated = submission !== undefined && submission !== verification.submission
  const isApproval = outcome.decision === 'APPROVE' && isOpen(verification)
  if (isOutdated || (isApproval && verification.case_digest !== computeCaseDigest(op, caseData)))
    throw new ApiError('SUBMISSION_OUTDATED', {
      details: { field: 'submission', submission: verification.submission },
    })
  return decideCase(op, caseData, { before: verification }, outcome, decider)
}
