import type { VERIFICATION_FAILURES } from '@countersign/contract/accounts/account-verifications'
import type { AccountVerificationState } from '@countersign/contract/states/account-verification-states'
import type { Stamped } from './stamped.ts'

export type VerificationFailure = (typeof VERIFICATION_FAILURES)[number]

/** The verification of an external account by two deposits. The amounts are in their transactions. */
export interface AccountVerificationRow extends Stamped {
  id: string
  platform_id: string
  customer_id: string
  external_account_id: string
  /** The platform's account that pays the deposits. */
  source_account_id: string
  first_transaction_id: string
  second_transaction_id: string
  state: AccountVerificationState
  attempts_left: number
  failure_reason: VerificationFailure | null
  /** The bank's words. */
  message: string | null
  expires_at: Date
  verified_at: Date | null
}
