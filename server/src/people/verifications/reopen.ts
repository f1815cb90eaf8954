import type { Op } from '../../kernel/operation/app.ts'
import type { VerificationRow } from '../../storage/rows/verification.ts'
import { findCustomer } from '../customers/customers.ts'
import { caseDigest, findCase } from './case.ts'
import { decideCase } from './decide.ts'
import type { VerificationChange } from './verifications.ts'

/** Has a person review a rejection again. The customer is pending again. Errors: as `decideCase`. */
export async function reopen(
  op: Op,
  verification: VerificationRow,
  reason: string,
): Promise<VerificationChange> {
  const one = await findCase(op, await findCustomer(op, verification.customer_id))
  const change = { case_digest: caseDigest(op, one), submission: verification.submission + 1 }
  return decideCase(
    op,
    one,
    { before: verification, change },
    { decision: 'REOPEN', reason },
    { type: 'OPERATOR' },
  )
}
