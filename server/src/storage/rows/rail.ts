import type { PaymentAccountInfoValue } from '@countersign/contract/accounts/account-types'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import type { AuditActorType } from '@countersign/contract/core/actors'
import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { PaymentOutcome, SettledOutcome } from '@countersign/contract/operation/payment-decisions'
import type { DepositReason } from '@countersign/contract/payments/deposits'
import type { DepositState } from '@countersign/contract/states/deposit-states'
import type { Stamped } from './stamped.ts'
import type { RailEventState, RailPaymentState } from './states.ts'

/**
 * A payment or pull submitted to a rail. Its id is derived from the direction and the payment
 * (`rails/rail-ids.ts`).
 */
export interface RailPaymentRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  direction: 'OUT' | 'PULL'
  /** The payment's id at the rail: a transaction, or the deposit or quote whose money is returned. */
  payment_id: string
  amount: bigint
  currency: string
  state: RailPaymentState
  reference: string
  /** The rail's own reference. */
  rail_reference: string | null
  transaction_hash: string | null
  failure: RailFailure | null
  /** When to submit the payment to the rail. */
  submit_at: Date
  delivered_at: Date | null
  returned_at: Date | null
}

/** Why a payment failed, according to its rail. */
export interface RailFailure {
  readonly code: string
  readonly message: string
  /** Why the payment was returned, if known. */
  readonly reason?: 'TRANSACTION_FAILED' | 'USER_CANCELLATION'
  /** True if the payment was returned without the money. */
  readonly isMoneyMissing?: true
  /** True if this was decided by an operator and not by the rail. */
  readonly isDecided?: true
}

/** An operator's decision about a payment. The last decision about its outcome counts; proposals do not. */
export interface PaymentDecisionRow {
  id: string
  platform_id: string
  rail_payment_id: string
  transaction_id: string
  /** Starts at 1. Requests for a reversal are counted separately. */
  place: number
  /** True for a vote that takes effect only after other team members have approved. */
  is_proposal: boolean
  outcome: PaymentOutcome
  amount: bigint
  currency: KnownCurrency
  /** Fees kept by banks, which the platform bears, in the smallest unit. 0 if there were none. */
  charge: bigint
  /** True if both payer and payee have the money, so that the amount is owed to the platform. */
  is_owed: boolean
  reason: string
  note: string | null
  /** Ids of statement lines. */
  statement_lines: readonly string[]
  document_id: string | null
  rail_event_id: string | null
  actor_type: AuditActorType
  actor_id: string | null
  actor_name: string | null
  created_at: Date
}

/** A decision about the outcome of a payment. */
export type SettledDecisionRow = PaymentDecisionRow & { outcome: SettledOutcome }

/** Account details for incoming payments. */
export interface DepositAccountRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  currency: string
  /** Null if it serves all accounts in a currency. */
  account_id: string | null
  reference: string
  /** Null until the rail has responded. */
  rail_reference: string | null
  matching: 'ACCOUNT' | 'REFERENCE' | null
  account_info: PaymentAccountInfoValue | null
}

/** The details that a rail reports about a deposit. */
export interface DepositDetails {
  readonly depositAccount: string
  /** The holder of the account number or address that was paid, if the rail reported it. */
  readonly paidTo?: string
  readonly remittanceInformation?: string
  readonly sender?: {
    readonly name?: string
    readonly accountIdentifier?: string
    readonly bankName?: string
    readonly bankIdentifier?: string
  }
  readonly paymentRail?: string
  readonly endToEndId?: string
  readonly traceNumber?: string
  /** Every text that may contain the payer's reference, in full, with its place in the bank's record. */
  readonly texts?: readonly { readonly where: string; readonly text: string }[]
  /** The references found in these strings. */
  readonly references?: { readonly reference: string; readonly where: string }[]
  /** The bank's entry reference for the booking, if there is one. */
  readonly entryReference?: string
  /** The kind of file that reported the deposit. */
  readonly from?: 'STATEMENT' | 'ADVICE' | 'ACH_FILE'
  /** The record in another kind of file that reported the same money. */
  readonly confirmedBy?: string
  /** The latest note by a bank or an operator. */
  readonly note?: string
  /** The amount before it was adjusted to the amount booked by the bank, in the smallest unit. */
  readonly adjustedFrom?: string
  /** The amount booked by the bank, in the smallest unit, if an operator adjusted the deposit to it. */
  readonly booked?: string
  /** The part of a reversed deposit that the account could not cover, in the smallest unit. */
  readonly shortfall?: string
}

/** Money that arrived on a rail. Its id is derived from the rail and the rail's reference. */
export interface DepositRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  rail_reference: string
  amount: bigint
  currency: string
  state: DepositState
  reason: DepositReason | null
  details: DepositDetails
  account_id: string | null
  transaction_id: string | null
  /** The deposit that was split into this one, or for which the bank booked a higher amount. */
  parent_id: string | null
  received_at: Date
}

/** A report from a rail. */
export interface RailEventRow {
  id: string
  platform_id: string
  rail: string
  type: string
  body: Readonly<Record<string, unknown>>
  state: RailEventState
  /** Why the report waits. */
  reason: RailEventReason | null
  note: string | null
  resolved_at: Date | null
  created_at: Date
}

/**
 * Account details for paying into an internal account through a rail, as listed in
 * `internal_accounts.funding`.
 */
export interface RailFunding {
  readonly rail: string
  readonly accountOrWalletInfo: PaymentAccountInfoValue
  readonly instructionsNotes: string
}

export interface RailTables {
  rail_payments: RailPaymentRow
  deposit_accounts: DepositAccountRow
  deposits: DepositRow
  rail_events: RailEventRow
  payment_decisions: PaymentDecisionRow
}
