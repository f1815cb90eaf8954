import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { HoldRule, VelocitySubject } from '@countersign/contract/payments/risk-config'
import type { FundsHoldState } from '@countersign/contract/states/funds-hold-states'
import type { Stamped } from './stamped.ts'
import type { StoredJson } from './stored-documents.ts'

/** Tables of risk holds and payment limits. */
export interface RiskTables {
  funds_holds: FundsHoldRow
  velocity_uses: VelocityUseRow
  velocity_counters: VelocityCounterRow
}

/** Pulled money that the account cannot spend yet. */
export interface FundsHoldRow extends Stamped {
  id: string
  platform_id: string
  account_id: string
  /** Null if the account is the platform's own. */
  customer_id: string | null
  /** The transfer that pulled the money. */
  transaction_id: string
  /** The pending ledger transfer. */
  hold_id: string
  /** The rail through which a return would take the money back. */
  rail: string | null
  amount: bigint
  currency: KnownCurrency
  /** The rule at the time when the money arrived. */
  rule: StoredJson<HoldRule>
  state: FundsHoldState
  release_at: Date
  /** The reason given by the operator who lifted the hold. */
  note: string | null
  ended_at: Date | null
}

/** A payment counted against the limits of its customer or payee. */
export interface VelocityUseRow {
  platform_id: string
  transaction_id: string
  subject: VelocitySubject
  subject_digest: string
  currency: string
  amount: bigint
  day: string
  month: string
  day_count_max: number | null
  day_amount_max: bigint | null
  month_count_max: number | null
  month_amount_max: bigint | null
  created_at: Date
}

/** The total of payments in a day or month. Only the database writes it. */
export interface VelocityCounterRow {
  platform_id: string
  subject: VelocitySubject
  subject_digest: string
  period: string
  currency: string
  amount: bigint
  count: number
}
