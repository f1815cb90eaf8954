import type { Hex } from '../../base/formats/hex.ts'
import { idOfKind, uuidOfText } from '../../storage/engine/ids.ts'

/** Ids of records of a chain, which follow from what they are of: a second one has no place. */

export function chainIdOf(rail: string): string {
  return recordId(`Chain ${rail}`)
}

/** Of an address by what it is for: `TREASURY`, `GAS 0`, an internal account, a quote. */
export function chainAddressIdOf(rail: string, of: string): string {
  return recordId(`ChainAddress ${rail} ${of}`)
}

/**
 * Of a transfer on one of its sides. `turn` is 1, and one more each time that it comes back after it was given up.
 */
export function chainMovementIdOf(
  rail: string,
  transactionHash: Hex,
  logIndex: number,
  side: 'IN' | 'OUT',
  turn: number,
): string {
  return recordId(`ChainMovement ${rail} ${transactionHash} ${logIndex} ${side} ${turn}`)
}

/** Of the block that is kept in a place: places are used again. */
export function chainBlockIdOf(rail: string, place: bigint): string {
  return recordId(`ChainBlock ${rail} ${place}`)
}

/** Of the sweep of an address, by how many it had before. */
export function chainSweepIdOf(rail: string, address: Hex, before: number): string {
  return recordId(`ChainSweep ${rail} ${address} ${before}`)
}

/** Of the transfer by which the treasury gives back the fee of a payment that has failed. */
export function chainFeeReturnIdOf(paymentId: string): string {
  return recordId(`ChainFeeReturn ${paymentId}`)
}

export function chainTransactionIdOf(rail: string, sender: Hex, nonce: bigint): string {
  return recordId(`ChainTransaction ${rail} ${sender} ${nonce}`)
}

function recordId(name: string): string {
  return idOfKind('ChainRecord', uuidOfText(name))
}
