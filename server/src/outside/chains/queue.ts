import { deriveAuthorizationNonce } from '../../base/crypto/evm/authorization.ts'
import { hasEvmChecksum } from '../../base/formats/addresses.ts'
import type { Hex } from '../../base/formats/hex.ts'
import { toLowerHex } from '../../base/formats/hex.ts'
import type { Enqueued, QueuedPayment, SignedChainPayment } from '../../kernel/ports/rail.ts'
import { insert } from '../../storage/commit/writes.ts'
import type { ChainPaymentRow } from '../../storage/rows/chain.ts'
import { CHAIN_PAYMENT_INITIAL } from '../../storage/rows/states.ts'
import { type EvmRail, isTreasury, requireFollowedBlock } from './evm-rail.ts'
import { findAddress, findPermanentFault } from './payees.ts'

/** A transfer to make on the chain, without the fields that are derived from these. */
export interface NewChainPayment {
  /** The id of the `rail_payments` record, if it is a payment. */
  readonly id: string
  readonly platformId: string
  readonly kind: ChainPaymentRow['kind']
  /** The rail's name for the payment. For a sweep, the sweep's own id. */
  readonly paymentId: string
  readonly currency: string
  readonly amount: bigint
  /** The sender's address, and the id of its record. Defaults to the treasury. */
  readonly from?: { readonly id: string; readonly address: Hex }
  readonly recipient: Hex
  /** The signature of the wallet's holder. If absent, the enclave signs with the key at the sender's path. */
  readonly signed?: SignedChainPayment | undefined
  readonly now: Date
}

/**
 * Builds the record of a queued transfer. Its nonce is derived from its name, so the chain accepts the
 * transfer only once. Throws 503 `UNAVAILABLE` until the chain has been reached and the token read.
 */
export function buildChainPayment(rail: EvmRail, payment: NewChainPayment): ChainPaymentRow {
  const { address: token, standard } = rail.chain.token(payment.currency)
  const { signed } = payment
  const from = signed
    ? { id: signed.senderId, address: signed.sender }
    : (payment.from ?? getTreasurySender(rail))
  const isPlain = standard === 'ERC20'
  if (isPlain && !isTreasury(rail, from.address))
    throw new Error(`${payment.currency} has no signed transfers, so only the treasury can pay it`)
  return {
    id: payment.id,
    platform_id: payment.platformId,
    rail: rail.name,
    kind: payment.kind,
    payment_id: payment.paymentId,
    token,
    currency: payment.currency,
    amount: payment.amount,
    sender_id: from.id,
    sender: from.address,
    recipient: payment.recipient,
    nonce: isPlain ? null : deriveAuthorizationNonce('payment', payment.paymentId),
    valid_before: signed?.validBefore ?? null,
    signature: signed?.signature ?? null,
    fee_amount: signed?.fee?.amount ?? null,
    fee_recipient: signed?.fee?.recipient ?? null,
    fee_nonce: signed?.fee ? deriveAuthorizationNonce('fee', payment.paymentId) : null,
    fee_signature: signed?.fee?.signature ?? null,
    state: CHAIN_PAYMENT_INITIAL,
    from_block: requireFollowedBlock(rail),
    transaction_id: null,
    attempts: 0,
    due_at: payment.now,
    note: null,
    transaction_hash: null,
    block_number: null,
    created_at: payment.now,
    updated_at: payment.now,
  }
}

/**
 * The treasury as sender. If the key is rotated before the payment is signed, `reassign` moves it to the new
 * address.
 */
function getTreasurySender({ treasury, treasuryId }: EvmRail): NonNullable<NewChainPayment['from']> {
  return { id: treasuryId, address: treasury }
}

/** Queues a payment for a chain if its payee can be paid. Throws the same errors as `buildChainPayment`. */
export function enqueuePayment(rail: EvmRail, payment: QueuedPayment): Enqueued {
  const { recordId, platformId, direction, id, currency, amount, signed, now } = payment
  if (direction === 'PULL' && !signed) return toFailed('A pull needs the signature of the payer')
  const recipient = direction === 'PULL' ? rail.chain.treasury : findRecipient(payment)
  if (recipient === undefined) return toFailed('The address of the payee is unknown')
  const fault = direction === 'PULL' ? undefined : findPermanentFault(rail, recipient)
  if (fault !== undefined) return toFailed(`The address of the payee ${fault}`)
  const row = buildChainPayment(rail, {
    id: recordId,
    platformId,
    kind: direction,
    paymentId: id,
    currency,
    amount,
    recipient,
    signed,
    now,
  })
  return { outcome: 'queued', writes: [insert('chain_payments', row)] }
}

function toFailed(detail: string): Enqueued {
  return { outcome: 'failed', failureReason: 'QUOTE_EXECUTION_FAILED', detail }
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** The lowercase address to pay: the account's address or, for a returned deposit, the sender's. */
function findRecipient({ account, sender, identifier }: QueuedPayment): Hex | undefined {
  const text = (account && findAddress(account)) ?? sender?.accountIdentifier ?? identifier
  return text && ADDRESS.test(text) && hasEvmChecksum(text) ? toLowerHex(text) : undefined
}
