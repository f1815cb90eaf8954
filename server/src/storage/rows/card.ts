import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { Stamped } from './stamped.ts'

export interface PlatformFreezeValue {
  /** ISO 8601. */
  readonly frozenAt: string
  readonly reason: string
  readonly cardholderMayLift: boolean
  /** True if the cardholder had frozen the card before, whose freeze stays. */
  readonly wasFrozen: boolean
}

export interface CardRow extends Stamped {
  id: string
  platform_id: string
  cardholder_id: string
  platform_card_id: string
  state: 'PENDING_KYC' | 'PROCESSING' | 'ACTIVE' | 'FROZEN' | 'CLOSED'
  state_reason: 'ISSUER_REJECTED' | 'CLOSED_BY_PLATFORM' | 'CLOSED_BY_SVC' | null
  currency: KnownCurrency
  /** Internal accounts, in the order in which they are charged. */
  funding_sources: string[]
  brand: 'VISA' | 'MASTERCARD' | null
  last4: string | null
  exp_month: number | null
  exp_year: number | null
  pan_embed_url: string | null
  processor_ref: string | null
  issuer_ref: string | null
  /** Set while the platform has frozen the card. */
  platform_freeze: PlatformFreezeValue | null
  /** Incremented by changes to state and funding sources. */
  version: number
}

export interface DelegatedKeyRow extends Stamped {
  id: string
  platform_id: string
  card_id: string
  account_id: string
  public_key: string
  sealed_key: Uint8Array
  nickname: string
  status: 'PENDING' | 'ACTIVE' | 'REVOKED'
}

/**
 * A purchase by card. Amounts are in the smallest unit of `currency`, which converts one to one to
 * `source_currency`.
 */
export interface CardTransactionRow extends Stamped {
  id: string
  platform_id: string
  card_id: string
  account_id: string
  state: 'AUTHORIZED' | 'PARTIALLY_SETTLED' | 'SETTLED' | 'REFUNDED' | 'EXCEPTION'
  merchant: { readonly descriptor: string; readonly mcc?: string; readonly country?: string }
  currency: KnownCurrency
  source_currency: KnownCurrency
  issuer_transaction_token: string
  /** Null if the purchase was not authorized. */
  hold_id: string | null
  /** Amount on hold, in the smallest unit of the source currency. */
  held_amount: bigint
  delegated_key_id: string | null
  signature: Uint8Array | null
  authorized_amount: bigint
  /** The largest accepted sum of claims. */
  claim_max: bigint
  /** The part of the hold that the merchant has not claimed. */
  unclaimed_amount: bigint
  settlement_count: number
  settled_amount: bigint
  pull_count: number
  pulled_amount: bigint
  /** The number of pending pulls, and their part of the hold. */
  pending_count: number
  pending_amount: bigint
  /** Claims that could not be taken from the funding source. */
  uncollected_amount: bigint
  refund_count: number
  refunded_amount: bigint
  version: number
  authorized_at: Date
  last_event_at: Date
}

/** The key's signature for one pull from a wallet. */
export interface CardPullSignatureRow {
  card_transaction_id: string
  /** The number of the pull within the purchase, from 1. */
  number: number
  platform_id: string
  delegated_key_id: string
  /** The exact signed bytes. */
  statement: string
  signature: Uint8Array
  created_at: Date
}
