import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { Stamped } from './tables.ts'

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
  /** Closed for good: it is empty and stays empty. */
  is_closed: boolean
}

export interface LedgerTransferRow {
  id: string
  platform_id: string
  cause: string
  cause_id: string
  created_at: Date
}

export interface LedgerEntryRow {
  transfer_id: string
  line: number
  account_id: string
  currency: KnownCurrency
  amount: bigint
  created_at: Date
}

export interface LedgerHoldRow extends Stamped {
  id: string
  platform_id: string
  account_id: string
  amount: bigint
  captured: bigint
  state: 'pending' | 'posted' | 'voided'
  cause: string
  cause_id: string
}
