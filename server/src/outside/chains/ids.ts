import type { Hex } from '../../base/formats/hex.ts'
import { idOfKind, uuidOfText } from '../../storage/engine/ids.ts'

/** Ids of chain records. They are derived from what the record describes, so a duplicate cannot exist. */

export function chainIdOf(rail: string): string {
  return recordId(`Chain ${rail}`)
}

/**
 * The id of an address record, by purpose: `TREASURY`, `GAS 0`, or the id of an internal account or quote.
 */
export function chainAddressIdOf(rail: string, purpose: string): string {
  return recordId(`ChainAddress ${rail} ${purpose}`)
}

/**
 * The id of one side of a transfer. `occurrence` starts at 1 and increases each time the transfer reappears
 * after a reorganization.
 */
export function chainMovementIdOf(
  rail: string,
  transactionHash: Hex,
  logIndex: number,
  side: 'IN' | 'OUT',
  occurrence: number,
): string {
  return recordId(`ChainMovement ${rail} ${transactionHash} ${logIndex} ${side} ${occurrence}`)
}

/** The id of the block stored in a slot. Slots are reused. */
export function chainBlockIdOf(rail: string, slot: bigint): string {
  return recordId(`ChainBlock ${rail} ${slot}`)
}

/** The id of an address's next sweep; `earlierCount` is the number of its earlier sweeps. */
export function chainSweepIdOf(rail: string, address: Hex, earlierCount: number): string {
  return recordId(`ChainSweep ${rail} ${address} ${earlierCount}`)
}

/**
 * The id of the next transfer between two treasury addresses; `earlierCount` is the number of earlier ones.
 */
export function chainRotationIdOf(rail: string, addresses: string, earlierCount: number): string {
  return recordId(`ChainRotation ${rail} ${addresses} ${earlierCount}`)
}

/** The id of the transfer that carries out a treasury movement. */
export function chainMoveIdOf(movementId: string): string {
  return recordId(`ChainMove ${movementId}`)
}

/** The id of the transfer with which the treasury refunds the fee of a failed payment. */
export function chainFeeReturnIdOf(paymentId: string): string {
  return recordId(`ChainFeeReturn ${paymentId}`)
}

export function chainTransactionIdOf(rail: string, sender: Hex, nonce: bigint): string {
  return recordId(`ChainTransaction ${rail} ${sender} ${nonce}`)
}

function recordId(name: string): string {
  return idOfKind('ChainRecord', uuidOfText(name))
}
