import type { Op } from '../../kernel/operation/app.ts'
import type { VerificationRow } from '../../storage/rows/verification.ts'
import { findCustomer } from '../customers/customers.ts'
import { computeCaseDigest, findCase } from './case.ts'
import { decideCase } from './decide.ts'
import type { VerificationChange } from './verifications.ts'

/** Returns a rejected case to manual review, and its customer to pending. Throws like `decideCase`. */
export async function reopen(
  op: Op,
  verification: VerificationRow,
  reason: string,
): Promise<VerificationChange> {
  const caseData = await findCase(op, await findCustomer(op, verification.customer_id))
  const change = { case_digest: computeCaseDigest(op, caseData), submission: verification.submission + 1 }
  return decideCase(
    op,
    caseData,
    { before: verification, change },
    { decision: 'REOPEN', reason },
    { type: 'OPERATOR' },
  )
}
