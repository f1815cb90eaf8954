import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { TransferState } from './states.ts'

export interface LedgerAccountRow {
  id: string
  platform_id: string
  owner: string
  /** Which of the platform's own accounts it is (`rail`, `fx`, …). Null: an internal account. */
  name: string | null
  currency: KnownCurrency
  normal_side: 'debit' | 'credit'
  may_overdraw: boolean
  posted: bigint
  held: bigint
  event_count: number
  /** Closed for good: it is empty and stays empty. */
  is_closed: boolean
}

/** What a transfer moves, and why. */
interface Moved {
  platform_id: string
  currency: KnownCurrency
  amount: bigint
  cause: string
  cause_id: string
  created_at: Date
}

export interface LedgerTransferRow extends Moved {
  id: string
  debit_account_id: string
  credit_account_id: string
  state: TransferState
  ended_at: Date | null
}

/** One side of a posted transfer: a credit is positive, a debit negative. */
export interface LedgerEntryRow extends Moved {
  transfer_id: string
  account_id: string
  posted_at: Date
}
