import type { PaymentAccountInfoValue } from '@countersign/contract/accounts/account-types'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { AuditActorType } from '@countersign/contract/operation/audit-events'
import type { PaymentOutcome } from '@countersign/contract/operation/payment-decisions'
import type { DepositReason } from '@countersign/contract/payments/deposits'
import type { DepositState } from '@countersign/contract/states/deposit-states'
import type { Stamped } from './stamped.ts'
import type { RailEventState, RailPaymentState } from './states.ts'

/** A payment or a pull that was given to a rail. Its id follows from direction and payment (`rails/rail-ids.ts`). */
export interface RailPaymentRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  direction: 'OUT' | 'PULL'
  /** Its name at the rail: a transaction; a deposit or a quote whose money goes back. */
  payment_id: string
  amount: bigint
  currency: string
  state: RailPaymentState
  reference: string
  /** The rail's own name for it. */
  rail_reference: string | null
  transaction_hash: string | null
  failure: RailFailure | null
  /** When it is given to the rail. */
  submit_at: Date
  delivered_at: Date | null
  returned_at: Date | null
}

/** Why a payment has not worked, as its rail has said. */
export interface RailFailure {
  readonly code: string
  readonly message: string
  /** Why it came back, if that is known. */
  readonly reason?: 'TRANSACTION_FAILED' | 'USER_CANCELLATION'
  /** True if the money did not come back with the payment. */
  readonly isMoneyMissing?: true
  /** True if a person decided it, not the rail. */
  readonly isDecided?: true
}

/** A decision of a person about a payment. The last one counts, apart from proposals. */
export interface PaymentDecisionRow {
  id: string
  platform_id: string
  rail_payment_id: string
  transaction_id: string
  /** From 1. */
  place: number
  /** True for a vote of a member, where others have to agree before it counts. */
  is_proposal: boolean
  outcome: PaymentOutcome
  amount: bigint
  currency: KnownCurrency
  /** Smallest unit: what banks have kept, and the platform pays. 0 for none. */
  charge: bigint
  /** True if payer and payee both have the money, so that the amount is owed to the platform. */
  is_owed: boolean
  reason: string
  note: string | null
  /** Ids of lines of statements. */
  statement_lines: readonly string[]
  document_id: string | null
  rail_event_id: string | null
  actor_type: AuditActorType
  actor_id: string | null
  actor_name: string | null
  created_at: Date
}

/** Where others pay in. */
export interface DepositAccountRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  currency: string
  /** Null: for all of a currency. */
  account_id: string | null
  reference: string
  /** Null until the rail has answered. */
  rail_reference: string | null
  matching: 'ACCOUNT' | 'REFERENCE' | null
  account_info: PaymentAccountInfoValue | null
}

/** What a rail says of a deposit. */
export interface DepositDetails {
  readonly depositAccount: string
  /** Whose own number or address that is, where whoever recorded it knew. */
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
  /** Every text in which its payer may have put a reference, whole, with its place in the bank's record. */
  readonly texts?: readonly { readonly where: string; readonly text: string }[]
  /** The references found there. */
  readonly references?: { readonly reference: string; readonly where: string }[]
  /** The bank's own name of the entry that booked it, where banks give one. */
  readonly entryReference?: string
  /** The kind of file that told of it. */
  readonly from?: 'STATEMENT' | 'ADVICE' | 'ACH_FILE'
  /** The record of another kind of file that told of the same money. */
  readonly confirmedBy?: string
  /** What a bank or a person said last of it. */
  readonly note?: string
  /** The amount before it was adjusted to what its bank has booked, in the smallest unit. */
  readonly adjustedFrom?: string
  /** The amount that its bank has booked, if a person has adjusted the deposit to it, in the smallest unit. */
  readonly booked?: string
  /** The part of a reversed deposit that its account no longer had, in the smallest unit. */
  readonly shortfall?: string
}

/** Money that came in by a rail. Its id follows from the rail and the rail's name for it. */
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
  /** The deposit that was split into it, or whose bank has booked it in addition. */
  parent_id: string | null
  received_at: Date
}

/** What a rail has reported. */
export interface RailEventRow {
  id: string
  platform_id: string
  rail: string
  type: string
  body: Readonly<Record<string, unknown>>
  state: RailEventState
  /** Why it waits. */
  reason: RailEventReason | null
  note: string | null
  resolved_at: Date | null
  created_at: Date
}

/** Where an internal account is paid in to by a rail, as `internal_accounts.funding` lists it. */
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
