import type { ScreeningDirection } from '@countersign/contract/payments/screenings'
import type { ScreeningState } from '@countersign/contract/states/screening-states'
import type { Stamped } from './stamped.ts'

/** A screened address. Its id is derived from the direction and the subject (`screenings/screenings.ts`). */
export interface ScreeningRow extends Stamped {
  id: string
  platform_id: string
  direction: ScreeningDirection
  network: string
  address: string
  amount: bigint
  currency: string
  /** The payment to the address. */
  transaction_id: string | null
  /** The deposit from the address. */
  deposit_id: string | null
  state: ScreeningState
  /** The list that has the address, and the entry in it. Null if no list has it. */
  list: string | null
  detail: string | null
  /** The operator's note on the decision. */
  note: string | null
  decided_at: Date | null
}
