import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { Stamped } from './stamped.ts'

export interface PlatformFreezeValue {
  /** ISO 8601. */
  readonly frozenAt: string
  readonly reason: string
  readonly cardholderMayLift: boolean
  /** True if the cardholder had already frozen the card. That freeze remains in place. */
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
  /** Internal accounts, in the order in which to charge them. */
  funding_sources: string[]
  brand: 'VISA' | 'MASTERCARD' | null
  last4: string | null
  exp_month: number | null
  exp_year: number | null
  pan_embed_url: string | null
  processor_ref: string | null
  issuer_ref: string | null
  /** Set while the card is frozen by the platform. */
  platform_freeze: PlatformFreezeValue | null
  /** Incremented when state or funding sources change. */
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
 * A card purchase. Amounts are in the smallest unit of `currency`, which converts to `source_currency` one to
 * one.
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
  /** The amount held, in the smallest unit of the source currency. */
  held_amount: bigint
  delegated_key_id: string | null
  signature: Uint8Array | null
  authorized_amount: bigint
  /** The maximum accepted sum of claims. */
  claim_max: bigint
  /** The part of the hold that the merchant has not claimed. */
  unclaimed_amount: bigint
  settlement_count: number
  settled_amount: bigint
  pull_count: number
  pulled_amount: bigint
  /** The number of pending pulls, and the part of the hold that they cover. */
  pending_count: number
  pending_amount: bigint
  /** The sum of claims that could not be taken from the funding source. */
  uncollected_amount: bigint
  refund_count: number
  refunded_amount: bigint
  version: number
  authorized_at: Date
  last_event_at: Date
}

/** A delegated key's signature for one pull from a wallet. */
export interface CardPullSignatureRow {
  card_transaction_id: string
  /** The number of the pull within the purchase, starting at 1. */
  number: number
  platform_id: string
  delegated_key_id: string
  /** The exact signed bytes. */
  statement: string
  signature: Uint8Array
  created_at: Date
}
