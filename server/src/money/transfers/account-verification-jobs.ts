import { ACCOUNT_VERIFICATION_TRANSITIONS } from '@countersign/contract/states/account-verification-states'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { findVerification, moveVerification } from '../external-accounts/account-verifications.ts'

/** Expires a verification whose amounts were not confirmed in time. */
export const expireAccountVerification: JobHandler<'account-verification.expire'> = async (
  op,
  { accountVerificationId },
) => {
  const row = await findVerification(op, accountVerificationId)
  if (ACCOUNT_VERIFICATION_TRANSITIONS[row.state].expire === null) return []
  return moveVerification(op, row, 'expire').writes
}
