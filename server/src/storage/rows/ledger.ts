import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { TransferState } from './states.ts'

export interface LedgerAccountRow {
  id: string
  platform_id: string
  owner: string
  /** The name of one of the platform's own accounts (`rail`, `fx`, …). Null for an internal account. */
  name: string | null
  currency: KnownCurrency
  normal_side: 'debit' | 'credit'
  may_overdraw: boolean
  posted: bigint
  held: bigint
  event_count: number
  /** Closed permanently: the account is empty and must remain so. */
  is_closed: boolean
}

/**
 * A pending or ended transfer. For people and tests, the view `ledger_entries` shows both sides of posted
 * transfers.
 */
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

/** A transfer that ended more than a day after its creation. Only the database writes it. */
export interface LedgerLateEndRow {
  /** The id of the transfer. */
  id: string
  platform_id: string
  debit_account_id: string
  credit_account_id: string
  ended_at: Date
}

/**
 * The amounts of a currency that conversions in progress will buy and sell. Maintained by the function
 * `fx_in_flight`.
 */
export interface FxInFlightRow {
  platform_id: string
  currency: KnownCurrency
  bought: bigint
  sold: bigint
}
