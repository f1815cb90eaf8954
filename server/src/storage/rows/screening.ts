import type { ScreeningDirection } from '@countersign/contract/payments/screenings'
import type { ScreeningState } from '@countersign/contract/states/screening-states'
import type { Stamped } from './stamped.ts'

/** An address that was looked for on lists. Its id follows from direction and subject (`screenings/screenings.ts`). */
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
  /** The list that it is on, and what that says of it; null where it is on none. */
  list: string | null
  detail: string | null
  /** What a person said of the decision. */
  note: string | null
  decided_at: Date | null
}
