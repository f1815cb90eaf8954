import type { ErasureState } from '@countersign/contract/states/customer-states'
import type { Stamped } from './stamped.ts'

/**
 * The erasure of a customer's personal data. Its id is the customer's, so there is at most one per customer.
 */
export interface ErasureRow extends Stamped {
  id: string
  platform_id: string
  state: ErasureState
  requested_at: Date
  erases_at: Date
  erased_at: Date | null
}
