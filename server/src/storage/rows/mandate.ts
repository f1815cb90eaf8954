import type { MandateType } from '@countersign/contract/accounts/mandates'
import type { Stamped } from './stamped.ts'

/** Consent of an external account's holder to direct debits. Its status follows from the dates. */
export interface MandateRow extends Stamped {
  id: string
  platform_id: string
  /** Null if the account is the platform's own. */
  customer_id: string | null
  external_account_id: string
  reference: string
  type: MandateType
  /** `YYYY-MM-DD`. */
  signed_on: string
  debtor_name: string
  /** An IBAN, or an account number with its sort code. */
  debtor_account: string
  debtor_sort_code: string | null
  /** The rail that has instructed the debtor's bank, if it needs such an instruction. */
  rail: string | null
  /** True if the next collection is the last. */
  is_final: boolean
  /** The number of queued collections, used as a version. */
  collections: number
  /** The payment record of the first queued collection. */
  first_payment_id: string | null
  /** `YYYY-MM-DD`. */
  last_collected_on: string | null
  canceled_at: Date | null
  cancel_reason: string | null
  /**
   * PLATFORM: by an API call, after the last collection, or together with its account. A bank can revoke only
   * its own cancellation.
   */
  canceled_by: 'BANK' | 'PLATFORM' | null
}

export interface MandateTables {
  mandates: MandateRow
}
