import type { StatementEntry } from '@countersign/contract/connectors/events'
import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { DifferenceReason } from '@countersign/contract/operation/reconciliations'
import type { ReconciliationState } from '@countersign/contract/states/reconciliation-states'
import type { Stamped } from './stamped.ts'

/** A difference as stored: amounts are strings of digits, times are ISO 8601. */
export interface StoredDifference {
  readonly reason: DifferenceReason
  readonly amount: string
  readonly since: string
  readonly about?: string
}

/** A day of a rail in one currency. Statement columns are null until the statement has arrived. */
export interface RailStatementRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  currency: KnownCurrency
  date: string
  state: ReconciliationState
  rail_reference: string | null
  opening: bigint | null
  closing: bigint | null
  entry_sum: bigint | null
  entry_count: number | null
  /** The sum of its fees, and the payment fees according to the rails file. */
  charged: bigint | null
  expected_costs: bigint | null
  booked_count: number
  balance: bigint | null
  later: bigint | null
  differences: readonly StoredDifference[]
  difference_count: number
  movements_since: Date | null
  received_at: Date | null
  reconciled_at: Date | null
}

export interface RailStatementEntryRow {
  id: string
  platform_id: string
  statement_id: string
  place: number
  rail_reference: string
  kind: StatementEntry['kind']
  /** Incoming amounts are positive. */
  amount: bigint
  item_id: string | null
  reason: 'REPEATED_ENTRY' | 'UNEXPLAINED' | null
  text: string | null
  deposit: StatementEntry['deposit'] | null
  booked_at: Date
}
