import type { ExternalAccountCreateInfoValue } from '@countersign/contract/accounts/account-types'
import type { PaymentRailName } from '@countersign/contract/core/rails'
import type { PayoutBatchState, PayoutLineState } from '@countersign/contract/states/payout-states'
import type { Stamped } from './stamped.ts'

/** The total of a batch in one currency on one rail. The amount is a string of digits. */
export interface PayoutTotal {
  readonly currency: string
  readonly rail: string
  readonly lines: number
  readonly amount: string
}

/**
 * A batch of payouts checked, approved and sent together. Only one job at a time writes the counts.
 */
export interface PayoutBatchRow extends Stamped {
  id: string
  platform_id: string
  state: PayoutBatchState
  name: string | null
  /** The stored file, which is removed after the check. Null if the batch was created by an API call. */
  file_id: string | null
  file_sha256: Uint8Array | null
  /** An earlier batch from a file with the same content. */
  same_file_id: string | null
  /** The columns of the file in order, once its header was read. */
  columns: string[] | null
  /** The byte offset of the next row in the file. */
  next_byte: bigint
  /** The number of lines found so far. */
  lines: number
  checked: number
  faulty: number
  sent: number
  failed: number
  /** The first line that has not been sent yet. */
  next_line: number
  totals: PayoutTotal[]
  file_error: { readonly code: string; readonly message: string; readonly line: number } | null
  completed_at: Date | null
}

/** The other fields of a payout, including a payee that is not an external account yet. */
export interface PayoutRequest {
  /** The payee's id as given in the request, until the check has found the account. */
  readonly accountId?: string
  readonly accountInfo?: ExternalAccountCreateInfoValue
  readonly remittanceInformation?: string
}

export interface PayoutLineRow extends Stamped {
  id: string
  platform_id: string
  batch_id: string
  /** The line number, starting at 1. Unique in its batch. */
  line: number
  state: PayoutLineState
  reference: string | null
  /** The payee's account. Null for unreadable rows, and while there is only a description of the payee. */
  account_id: string | null
  currency: string | null
  amount: bigint | null
  rail: string | null
  payment_rail: PaymentRailName | null
  request: PayoutRequest
  /** Set if the line is FAULTY or FAILED. */
  code: string | null
  message: string | null
  field: string | null
  /** The payment. Each line has at most one, which belongs to no other line. */
  transaction_id: string | null
}

export interface PayoutTables {
  payout_batches: PayoutBatchRow
  payout_lines: PayoutLineRow
}
