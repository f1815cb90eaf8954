import type { EvmNetwork } from '@countersign/contract/core/evm'
import type { Hex } from '../../base/formats/hex.ts'
import type { NetworkFee } from '../../base/pricing/network-fees.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'
import type { ChainLevel } from './chain-level.ts'

/** The parts of an operation needed to create records. */
export interface RecordContext {
  readonly now: Date
  readonly platform: { readonly id: string }
}

/** The chain of a rail, with everything that quotes, wallets and estimates need. */
export interface RailChain {
  readonly network: EvmNetwork
  readonly chainId: number
  /**
   * The address that holds the platform's money on the chain. This process learns of a key rotation a moment
   * later.
   */
  readonly treasury: Hex
  /**
   * True once this server has reached the chain. The chain is followed from then on, and earlier payments
   * could be missed, so before that no address is created and no payment starts.
   */
  isReached(): boolean
  /** Our accounts that were below their low-water mark a few seconds ago, as sentences for an operator. */
  lowBalances(): readonly string[]
  /** The balances and low-water marks of all our accounts, a few seconds old. */
  levels(): readonly ChainLevel[]
  /** The contract of a currency, as read from the chain. Throws 503 `UNAVAILABLE` until it has been read. */
  token(currency: string): ChainToken
  /**
   * The maximum that the chain charges for a number of transfers of a currency at current fees, including the
   * margin of the rails file. Throws 503 `UNAVAILABLE` if no node responds.
   */
  transferFee(currency: string, transfers: number): Promise<NetworkFee>
  /**
   * The record of a new address for an internal account or a quote, and the address as the API spells it.
   * Throws 503 `UNAVAILABLE` until the chain is reached.
   */
  newAddress(
    from: RecordContext,
    ownerId: string,
  ): { readonly address: string; readonly writes: readonly Write[] }
  /**
   * Mints an amount to an address, using the faucet of a sandbox chain. Absent if the chain has no faucet;
   * not idempotent. Throws if the node does not respond or rejects it.
   */
  mint?(currency: string, to: Hex, amount: bigint): Promise<void>
  /**
   * The record of a wallet's address, whose key is derived from the wallet's own seed. Throws 503
   * `UNAVAILABLE` until the chain is reached.
   */
  walletAddress(from: RecordContext, accountId: string, address: Hex): Write
  /** The id of a wallet's address record. */
  walletAddressId(accountId: string): string
  /**
   * Why an address cannot be used for cold storage, as the end of a sentence about it. Undefined if it can,
   * or if no node responds.
   */
  findColdStorageFault(read: Read, address: Hex): Promise<string | undefined>
  /**
   * The record of a cold storage address, which the server then follows; empty if it already exists. Guard:
   * it was not added in the meantime. Throws 503 `UNAVAILABLE` until the chain is reached.
   */
  coldAddress(read: Read, from: RecordContext, ownAccountId: string, address: Hex): Promise<readonly Write[]>
  /**
   * Queues a treasury movement. Guard: it is not queued yet. Throws 503 `UNAVAILABLE` until the chain is
   * reached.
   */
  move(from: RecordContext, movement: TreasuryTransfer): Write
  /** The address of the treasury key with this number, starting at 0. */
  treasuryAddress(number: number): Hex
  /**
   * Switches the treasury to the key with this number. Guard: there was no other rotation in the meantime.
   * Throws 503 `UNAVAILABLE` until the chain is reached.
   */
  rotate(op: RotationFrom, number: number): Promise<readonly Write[]>
}

/** The parts of an operation needed to rotate a key. */
export interface RotationFrom extends RecordContext {
  readonly read: Read
}

/** A transfer from the treasury to an address of the operator. */
export interface TreasuryTransfer {
  /** The id of its record. */
  readonly id: string
  readonly currency: string
  /** Smallest unit. */
  readonly amount: bigint
  readonly recipient: Hex
}

export interface ChainToken {
  readonly currency: string
  readonly address: Hex
  readonly standard: 'EIP3009' | 'ERC20'
  /** The EIP-712 domain. Undefined if the token does not support EIP-3009. */
  readonly domain: { readonly name: string; readonly version: string } | undefined
}
