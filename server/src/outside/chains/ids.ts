import type { Hex } from '../../base/formats/hex.ts'
import { buildId, deriveUuid } from '../../storage/engine/ids.ts'

/** Ids of chain records. They are derived from what the record describes, so a duplicate cannot exist. */

export function deriveChainRecordId(rail: string): string {
  return deriveRecordId(`Chain ${rail}`)
}

/**
 * The id of an address record, by purpose: `TREASURY`, `GAS 0`, or the id of an internal account or quote.
 */
export function deriveAddressId(rail: string, purpose: string): string {
  return deriveRecordId(`ChainAddress ${rail} ${purpose}`)
}

/**
 * The id of one side of a transfer. `occurrence` starts at 1 and increases each time the transfer reappears
 * after a reorganization.
 */
export function deriveMovementId(
  rail: string,
  transactionHash: Hex,
  logIndex: number,
  side: 'IN' | 'OUT',
  occurrence: number,
): string {
  return deriveRecordId(`ChainMovement ${rail} ${transactionHash} ${logIndex} ${side} ${occurrence}`)
}

/** The id of the block stored in a slot. Slots are reused. */
export function deriveBlockId(rail: string, slot: bigint): string {
  return deriveRecordId(`ChainBlock ${rail} ${slot}`)
}

/** The id of an address's next sweep; `earlierCount` is the number of its earlier sweeps. */
export function deriveSweepId(rail: string, address: Hex, earlierCount: number): string {
  return deriveRecordId(`ChainSweep ${rail} ${address} ${earlierCount}`)
}

/**
 * The id of the next transfer between two treasury addresses; `earlierCount` is the number of earlier ones.
 */
export function deriveRotationId(rail: string, addresses: string, earlierCount: number): string {
  return deriveRecordId(`ChainRotation ${rail} ${addresses} ${earlierCount}`)
}

/** The id of the transfer that carries out a treasury movement. */
export function deriveMoveId(movementId: string): string {
  return deriveRecordId(`ChainMove ${movementId}`)
}

/** The id of the transfer with which the treasury refunds the fee of a failed payment. */
export function deriveFeeRefundId(paymentId: string): string {
  return deriveRecordId(`ChainFeeReturn ${paymentId}`)
}

export function deriveTransactionId(rail: string, sender: Hex, nonce: bigint): string {
  return deriveRecordId(`ChainTransaction ${rail} ${sender} ${nonce}`)
}

function deriveRecordId(name: string): string {
  return buildId('ChainRecord', deriveUuid(name))
}
