import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { VerificationRow } from '../../storage/rows/verification.ts'
import { findCustomer } from '../customers/customers.ts'
import { caseDigest, findCase } from './case.ts'
import { type Decider, decideCase, type Outcome } from './decide.ts'
import { isOpen, type VerificationChange } from './verifications.ts'

/**
 * Decides a verification by the result for a submission. Errors: as `decideCase`, and 409
 * `SUBMISSION_OUTDATED` if the customer or an owner was changed since that submission.
 */
export async function decideOpen(
  op: Op,
  verification: VerificationRow,
  { submission, ...outcome }: Outcome & { readonly submission?: number },
  decider: Decider,
): Promise<VerificationChange> {
  const customer = await findCustomer(op, verification.customer_id)
  const one = await findCase(op, customer)
  const isOther = submission !== undefined && submission !== verification.submission
  const isApproval = outcome.decision === 'APPROVE' && isOpen(verification)
  if (isOther || (isApproval && verification.case_digest !== caseDigest(op, one)))
    throw new ApiError('SUBMISSION_OUTDATED', {
      details: { field: 'submission', submission: verification.submission },
    })
  return decideCase(op, one, { before: verification }, outcome, decider)
}
