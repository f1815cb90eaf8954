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
  /** Keyed digest of the routing and account number, by which starts are counted. */
  account_digest: string
  /** The number of this start among all starts with the digest. */
  start: number
  /** The number of this start among all starts of the customer. */
  customer_start: number
  state: AccountVerificationState
  attempts_left: number
  failure_reason: VerificationFailure | null
  /** The bank's message. */
  message: string | null
  /** The number of delivered deposits. */
  delivered: number
  /** Null until both deposits were delivered. */
  expires_at: Date | null
  verified_at: Date | null
}
