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
 * A payment or a pull submitted to a rail. Its id follows from direction and payment (`rails/rail-ids.ts`).
 */
export interface RailPaymentRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  direction: 'OUT' | 'PULL'
  /** The payment's id at the rail: a transaction, or a deposit or quote whose money is returned. */
  payment_id: string
  amount: bigint
  currency: string
  state: RailPaymentState
  reference: string
  /** The rail's own reference. */
  rail_reference: string | null
  transaction_hash: string | null
  failure: RailFailure | null
  /** The time of the submission to the rail. */
  submit_at: Date
  delivered_at: Date | null
  returned_at: Date | null
}

/** The rail's reason for a failed payment. */
export interface RailFailure {
  readonly code: string
  readonly message: string
  /** The reason for a return, if known. */
  readonly reason?: 'TRANSACTION_FAILED' | 'USER_CANCELLATION'
  /** True if the money was not returned with the payment. */
  readonly isMoneyMissing?: true
  /** True if a person decided it, not the rail. */
  readonly isDecided?: true
}

/** A person's decision about a payment. Proposals aside, the last one about its outcome counts. */
export interface PaymentDecisionRow {
  id: string
  platform_id: string
  rail_payment_id: string
  transaction_id: string
  /** Starts at 1. Requests for a reversal are counted separately. */
  place: number
  /** True for a vote that needs approval by other team members before it counts. */
  is_proposal: boolean
  outcome: PaymentOutcome
  amount: bigint
  currency: KnownCurrency
  /** Fees kept by banks, which the platform pays, in the smallest unit. 0 if there were no fees. */
  charge: bigint
  /** True if payer and payee both have the money, so the amount is owed to the platform. */
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

/** A decision about what became of a payment. */
export type SettledDecisionRow = PaymentDecisionRow & { outcome: SettledOutcome }

/** Account details for incoming payments. */
export interface DepositAccountRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  currency: string
  /** Null if it serves all accounts of a currency. */
  account_id: string | null
  reference: string
  /** Null until the rail has responded. */
  rail_reference: string | null
  matching: 'ACCOUNT' | 'REFERENCE' | null
  account_info: PaymentAccountInfoValue | null
}

/** Details of a deposit from its rail. */
export interface DepositDetails {
  readonly depositAccount: string
  /** Holder of the paid account number or address, if the rail reported it. */
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
  /** Every string that may contain the payer's reference, complete, with its place in the bank's record. */
  readonly texts?: readonly { readonly where: string; readonly text: string }[]
  /** The references found in these strings. */
  readonly references?: { readonly reference: string; readonly where: string }[]
  /** The bank's entry reference of the booking, if the bank provides one. */
  readonly entryReference?: string
  /** The kind of file that reported it. */
  readonly from?: 'STATEMENT' | 'ADVICE' | 'ACH_FILE'
  /** The record of another kind of file that reported the same money. */
  readonly confirmedBy?: string
  /** The latest note of a bank or a person. */
  readonly note?: string
  /** The amount before it was adjusted to the amount booked by the bank, in the smallest unit. */
  readonly adjustedFrom?: string
  /** The amount booked by the bank, if a person adjusted the deposit to it, in the smallest unit. */
  readonly booked?: string
  /** The part of a reversed deposit that its account could not cover, in the smallest unit. */
  readonly shortfall?: string
}

/** Money that arrived by a rail. Its id follows from the rail and the rail's reference. */
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
  /** The deposit that was split into this one, or that the bank booked with a higher amount. */
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
  /** The reason why it waits. */
  reason: RailEventReason | null
  note: string | null
  resolved_at: Date | null
  created_at: Date
}

/** Incoming payment details of an internal account at a rail, as `internal_accounts.funding` lists them. */
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
