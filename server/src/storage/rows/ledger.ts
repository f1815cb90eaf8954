import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { TransferState } from './states.ts'

export interface LedgerAccountRow {
  id: string
  platform_id: string
  owner: string
  /** Name of the platform's own account (`rail`, `fx`, …); null for an internal account. */
  name: string | null
  currency: KnownCurrency
  normal_side: 'debit' | 'credit'
  may_overdraw: boolean
  posted: bigint
  held: bigint
  event_count: number
  /** Permanently closed: it is empty and stays empty. */
  is_closed: boolean
}

/**
 * A transfer, pending or ended. The view `ledger_entries` has both sides of posted transfers, for people and
 * tests.
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
 * Amounts that conversions in progress will buy and sell of a currency. Maintained by the function
 * `fx_in_flight`.
 */
export interface FxInFlightRow {
  platform_id: string
  currency: KnownCurrency
  bought: bigint
  sold: bigint
}
