import type { StatementEntry } from '@countersign/contract/connectors/events'
import type { AuditActorType } from '@countersign/contract/core/actors'
import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { MatchAccount } from '@countersign/contract/operation/reconciliation-matches'
import type { DifferenceReason } from '@countersign/contract/operation/reconciliations'
import type { MatchState } from '@countersign/contract/states/match-states'
import type { ReconciliationState } from '@countersign/contract/states/reconciliation-states'
import type { Stamped } from './stamped.ts'

/** A difference as stored. Amounts are strings of digits; times are ISO 8601. */
export interface StoredDifference {
  readonly reason: DifferenceReason
  readonly amount: string
  readonly since: string
  /** The id of the payment, deposit or entry. Missing if it concerns the statement as a whole. */
  readonly about?: string
}

/** A rail's statement for one day and currency. Statement columns are null until it arrives. */
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
  /** Fees on the statement. */
  charged: bigint | null
  /** Fees expected according to the rails file. */
  expected_costs: bigint | null
  /** Entries up to this place have been booked. */
  booked_count: number
  /** The ledger's balance of the rail's account, without `later`. Null until compared. */
  balance: bigint | null
  /** The sum of ledger transfers that later statements will contain. Null until compared. */
  later: bigint | null
  differences: readonly StoredDifference[]
  difference_count: number
  /** The comparison of the next day reads ledger transfers from this time on. */
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
  /** Ids of statement lines. */
  lines: readonly string[]
  /** Ids of transactions and deposits. */
  items: readonly string[]
  line_sum: bigint
  book_sum: bigint
  /** Null if there is no difference. */
  account: MatchAccount | null
  /** A hash of the match, by which a second approver's call finds the proposal. */
  digest: string
  reason: string
  undo_reason: string | null
  actor_type: AuditActorType
  actor_id: string | null
  actor_name: string | null
}

/** Links a payment or deposit on a rail to its match. Null after the match is undone. */
export interface ReconciliationMatchItemRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  currency: KnownCurrency
  item_id: string
  match_id: string | null
}
