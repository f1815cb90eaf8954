import type { Hex } from '../../base/formats/hex.ts'
import type { Stamped } from './stamped.ts'
import type { ChainMovementState, ChainPaymentState, ChainTransactionState } from './states.ts'

/** What was read of a token's contract. */
export interface TokenFacts {
  readonly decimals: number
  /** The domain of EIP-712; absent where the token has no EIP-3009. */
  readonly domain?: { readonly name: string; readonly version: string; readonly separator: Hex }
}

/** The chain of a rail. Its id follows from the rail. */
export interface ChainRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  chain_number: bigint
  genesis: Hex
  /** By address. */
  tokens: Readonly<Record<string, TokenFacts>>
  followed_block: bigint
  followed_hash: Hex
  followed_time: Date
  highest_block: bigint
  latest_time: Date
  swept_at: Date
  claimed_until: Date
}

export type ChainRole = 'TREASURY' | 'GAS' | 'DEPOSIT' | 'WALLET'

/** An address whose key is in the enclave. Its id follows from the rail and what it is for. */
export interface ChainAddressRow {
  id: string
  platform_id: string
  rail: string
  address: Hex
  role: ChainRole
  path: string
  owner_id: string | null
  created_at: Date
}

/** A transfer that is to be made. The id of a payment is that of its record. */
export interface ChainPaymentRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  kind: 'OUT' | 'PULL' | 'SWEEP'
  payment_id: string
  token: Hex
  currency: string
  amount: bigint
  sender_id: string
  sender: Hex
  recipient: Hex
  nonce: Hex | null
  /** Unix seconds. */
  valid_before: bigint | null
  signature: Hex | null
  fee_amount: bigint | null
  fee_recipient: Hex | null
  fee_nonce: Hex | null
  fee_signature: Hex | null
  state: ChainPaymentState
  /** What it does on the chain is in no block before this one. */
  from_block: bigint
  transaction_id: string | null
  /** How often a transaction was made for it. Nothing that is signed has left this server while it is 0. */
  attempts: number
  due_at: Date
  note: string | null
  transaction_hash: Hex | null
  block_number: bigint | null
}

/** A signed form of a transaction. Fees are wei in digits. */
export interface ChainAttempt {
  readonly hash: Hex
  readonly raw: Hex
  readonly maxFee: string
  readonly priorityFee: string
  /** ISO 8601. */
  readonly madeAt: string
}

/** A transaction of one of our senders. */
export interface ChainTransactionRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  sender_id: string
  sender: Hex
  nonce: bigint
  recipient: Hex
  data: Hex
  gas_limit: bigint
  payment_id: string | null
  state: ChainTransactionState
  attempts: readonly ChainAttempt[]
  transaction_hash: Hex | null
  block_number: bigint | null
  block_hash: Hex | null
  succeeded: boolean | null
  /** Wei in digits. */
  cost: string | null
}

/** A transfer that was seen on the chain. Its id follows from rail, transaction and log. */
export interface ChainMovementRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  currency: string
  token: Hex
  transaction_hash: Hex
  log_index: number
  block_number: bigint
  block_hash: Hex
  happened_at: Date
  sender: Hex
  recipient: Hex
  amount: bigint
  kind: 'DEPOSIT' | 'PAYMENT' | 'OWN' | 'SPENT'
  item_id: string | null
  state: ChainMovementState
  booked_at: Date
  gone_at: Date | null
}

/** A block that was followed up to. */
export interface ChainBlockRow {
  id: string
  platform_id: string
  rail: string
  number: bigint
  hash: Hex
  created_at: Date
}

export interface ChainTables {
  chains: ChainRow
  chain_addresses: ChainAddressRow
  chain_payments: ChainPaymentRow
  chain_transactions: ChainTransactionRow
  chain_movements: ChainMovementRow
  chain_blocks: ChainBlockRow
}
