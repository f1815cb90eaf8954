import { idOfKind, uuidOfText } from '../db/engine/ids.ts'
import type { Hex } from '../formats/hex.ts'

/** Ids of records of a chain, which follow from what they are of: a second one has no place. */

export function chainIdOf(rail: string): string {
  return recordId(`Chain ${rail}`)
}

/** Of an address by what it is for: `TREASURY`, `GAS 0`, an internal account, a quote. */
export function chainAddressIdOf(rail: string, of: string): string {
  return recordId(`ChainAddress ${rail} ${of}`)
}

export function chainMovementIdOf(rail: string, transactionHash: Hex, logIndex: number): string {
  return recordId(`ChainMovement ${rail} ${transactionHash} ${logIndex}`)
}

export function chainBlockIdOf(rail: string, number: bigint): string {
  return recordId(`ChainBlock ${rail} ${number}`)
}

export function chainTransactionIdOf(rail: string, sender: Hex, nonce: bigint): string {
  return recordId(`ChainTransaction ${rail} ${sender} ${nonce}`)
}

function recordId(name: string): string {
  return idOfKind('ChainRecord', uuidOfText(name))
}
