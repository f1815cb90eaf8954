import type { Hex } from '../../base/formats/hex.ts'
import type { Stamped } from './stamped.ts'
import type { ChainMovementState, ChainPaymentState, ChainTransactionState } from './states.ts'

/** Facts about a token, read from its contract. */
export interface TokenFacts {
  readonly decimals: number
  /** The EIP-712 domain. Absent if the token does not support EIP-3009. */
  readonly domain?: { readonly name: string; readonly version: string; readonly separator: Hex }
}

/** The chain of a rail. Its id is derived from the rail. */
export interface ChainRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  chain_number: bigint
  genesis: Hex
  /** Keyed by token address. */
  tokens: Readonly<Record<string, TokenFacts>>
  followed_block: bigint
  followed_hash: Hex
  followed_time: Date
  highest_block: bigint
  latest_time: Date
  /** Changes when the server starts following a cold storage address. */
  cold_version: number
  /** The record of the current treasury address. */
  treasury_id: string
  swept_at: Date
  claimed_until: Date
}

export type ChainRole = 'TREASURY' | 'GAS' | 'DEPOSIT' | 'WALLET' | 'COLD'

/**
 * An address whose key is in the enclave, or an address of the operator's cold storage (COLD). Its id is
 * derived from the rail and the purpose.
 */
export interface ChainAddressRow {
  id: string
  platform_id: string
  rail: string
  address: Hex
  role: ChainRole
  path: string
  owner_id: string | null
  /** The block after which a cold storage address is followed. Null until then. */
  opened_block: bigint | null
  created_at: Date
}

/** A requested transfer. For a payment, its id is the id of the payment's record. */
export interface ChainPaymentRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  kind: 'OUT' | 'PULL' | 'SWEEP' | 'MOVE'
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
  /** The first block that could contain its transaction. */
  from_block: bigint
  transaction_id: string | null
  /** The number of transactions created for it. While it is 0, nothing signed has left this server. */
  attempts: number
  due_at: Date
  note: string | null
  transaction_hash: Hex | null
  block_number: bigint | null
}

/** A signed version of a transaction. Amounts are in wei, as strings of digits. */
export interface ChainAttempt {
  /** The amount of native coin that it moves. Absent if none. */
  readonly value?: string
  readonly hash: Hex
  readonly raw: Hex
  readonly maxFee: string
  readonly priorityFee: string
  /** ISO 8601. */
  readonly madeAt: string
}

/** A transaction sent from one of our addresses. */
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
  /** In wei, as a string of digits. */
  cost: string | null
}

/** A transfer seen on the chain. Its id is derived from the rail, the transaction and the log index. */
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
  kind: 'DEPOSIT' | 'PAYMENT' | 'OWN' | 'SPENT' | 'TO_COLD' | 'FROM_COLD' | 'COLD_IN' | 'COLD_OUT'
  item_id: string | null
  state: ChainMovementState
  booked_at: Date
  gone_at: Date | null
}

/** A block of a followed chain. */
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
