import { keccak256, serializeTransaction } from 'viem/utils'
import { bytesOf, type Hex } from '../../../base/formats/hex.ts'
import { requireValue } from '../../../base/formats/require-value.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import type { ChainAddressRow, ChainAttempt, ChainTransactionRow } from '../../../storage/rows/chain.ts'
import { CHAIN_TRANSACTION_INITIAL } from '../../../storage/rows/states.ts'
import type { EvmRail } from '../evm-rail.ts'
import type { OfferedFees } from '../fees.ts'
import { splitSignature } from '../formats/calls.ts'
import { deriveTransactionId } from '../ids.ts'

/** The content of a transaction, including its nonce. */
export type TransactionContent = Pick<
  ChainTransactionRow,
  'sender' | 'nonce' | 'recipient' | 'data' | 'gas_limit'
>

const V_BASE = 27

/**
 * Signs a transaction with its sender's key. The same content and fees always give the same signed form.
 * `value` is the coin to send, in wei.
 */
export function signTransaction(
  op: Op,
  { chain }: EvmRail,
  path: string,
  { nonce, recipient, data, gas_limit }: TransactionContent,
  { maxFee, priorityFee }: OfferedFees,
  value = 0n,
): ChainAttempt {
  const transaction = {
    type: 'eip1559',
    chainId: chain.chainId,
    nonce: Number(nonce),
    to: recipient,
    data,
    value,
    gas: gas_limit,
    maxFeePerGas: maxFee,
    maxPriorityFeePerGas: priorityFee,
  } as const
  const digest = keccak256(serializeTransaction(transaction))
  const { r, s, v } = splitSignature(op.enclave.signOnChain(path, bytesOf(digest)))
  const raw = serializeTransaction(transaction, { r, s, yParity: v - V_BASE })
  return {
    hash: keccak256(raw),
    raw,
    ...(value > 0n ? { value: String(value) } : {}),
    maxFee: String(maxFee),
    priorityFee: String(priorityFee),
    madeAt: op.now.toISOString(),
  }
}

/** Builds the record of a transaction with its first signed form. */
export function newTransaction(
  op: Op,
  rail: EvmRail,
  from: ChainAddressRow,
  content: Omit<TransactionContent, 'sender'> & {
    readonly paymentId: string | null
    readonly value?: bigint
  },
  fees: OfferedFees,
): ChainTransactionRow {
  const { paymentId, value, ...contentFields } = content
  const fields = { sender: from.address, ...contentFields }
  return {
    id: deriveTransactionId(rail.name, from.address, content.nonce),
    platform_id: op.platform.id,
    rail: rail.name,
    sender_id: from.id,
    ...fields,
    payment_id: paymentId,
    state: CHAIN_TRANSACTION_INITIAL,
    attempts: [signTransaction(op, rail, from.path, fields, fees, value)],
    transaction_hash: null,
    block_number: null,
    block_hash: null,
    succeeded: null,
    cost: null,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** The latest signed version of the transaction. */
export function getLatestAttempt({ attempts }: ChainTransactionRow): ChainAttempt {
  return requireValue(attempts.at(-1), 'attempt of a transaction')
}

export function readAttemptFees({ maxFee, priorityFee }: ChainAttempt): OfferedFees {
  return { maxFee: BigInt(maxFee), priorityFee: BigInt(priorityFee) }
}

/** The coin that a signed form moves, in wei. */
export function readAttemptCoin({ value = '0' }: ChainAttempt): bigint {
  return BigInt(value)
}

/**
 * The most wei that the transaction can cost its sender. A node accepts it only if the sender has this much.
 */
export function computeCostMax(row: ChainTransactionRow): bigint {
  const attempt = getLatestAttempt(row)
  return row.gas_limit * readAttemptFees(attempt).maxFee + readAttemptCoin(attempt)
}

/** The hashes of all signed forms, oldest first. A block may contain the latest form or an earlier one. */
export function listAttemptHashes({ attempts }: ChainTransactionRow): Hex[] {
  return attempts.map(({ hash }) => hash)
}
