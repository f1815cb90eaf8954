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

/** A transfer, pending or ended. The view `ledger_entries` has both sides of what is posted, for people and tests. */
export interface LedgerTransferRow {
  id: string
  platform_id: string
  debit_account_id: string
  credit_account_id: string
  currency: KnownCurrency
  amount: bigint
  state: TransferState
  cause: string
  cause_id: string
  created_at: Date
  ended_at: Date | null
}

/** A transfer that ended more than a day after it was made. Only the database writes it. */
export interface LedgerLateEndRow {
  /** The id of the transfer. */
  id: string
  platform_id: string
  debit_account_id: string
  credit_account_id: string
  ended_at: Date
}

/** What counted conversions under way will buy and sell of a currency. Kept by the function `fx_in_flight`. */
export interface FxInFlightRow {
  platform_id: string
  currency: KnownCurrency
  bought: bigint
  sold: bigint
}
