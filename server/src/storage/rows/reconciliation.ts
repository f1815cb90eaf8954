import type { StatementEntry } from '@countersign/contract/connectors/events'
import type { AuditActorType } from '@countersign/contract/core/actors'
import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { MatchAccount } from '@countersign/contract/operation/reconciliation-matches'
import type { DifferenceReason } from '@countersign/contract/operation/reconciliations'
import type { MatchState } from '@countersign/contract/states/match-states'
import type { ReconciliationState } from '@countersign/contract/states/reconciliation-states'
import type { Stamped } from './stamped.ts'

/** A difference as stored. Amounts are strings of digits, times are ISO 8601. */
export interface StoredDifference {
  readonly reason: DifferenceReason
  readonly amount: string
  readonly since: string
  readonly about?: string
}

/** One day of a rail in one currency. The columns of the statement are null until it arrives. */
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
  /** The fees on the statement, and the payment fees expected from the rails file. */
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
  match_id: string | null
  booked_at: Date
}

/**
 * Statement lines and payments that belong together. Amounts are in the smallest unit; incoming money is
 * positive.
 */
export interface ReconciliationMatchRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  currency: KnownCurrency
  state: MatchState
  /** Ids of the lines, and of the transactions and deposits. */
  lines: readonly string[]
  items: readonly string[]
  line_sum: bigint
  book_sum: bigint
  /** Null if there is no difference. */
  account: MatchAccount | null
  digest: string
  reason: string
  undo_reason: string | null
  actor_type: AuditActorType
  actor_id: string | null
  actor_name: string | null
}

/** The match that a payment or deposit belongs to, on the account of a rail. Null after it was undone. */
export interface ReconciliationMatchItemRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  currency: KnownCurrency
  item_id: string
  match_id: string | null
}
