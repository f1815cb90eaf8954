import type { EvmNetwork } from '@countersign/contract/core/evm'
import type { Hex } from '../../base/formats/hex.ts'
import type { NetworkFee } from '../../base/pricing/network-fees.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'
import type { ChainLevel } from './chain-level.ts'

/** The operation that creates records. */
export interface RecordsFrom {
  readonly now: Date
  readonly platform: { readonly id: string }
}

/** The chain of a rail: everything that quotes, wallets and estimates need of it. */
export interface RailChain {
  readonly network: EvmNetwork
  readonly chainId: number
  /** The address with the platform's money on the chain. A rotation reaches this process a moment later. */
  readonly treasury: Hex
  /**
   * True once this server has reached the chain. The chain is followed from that moment on, so payments to
   * earlier addresses could be missed: no address is created and no payment begins before.
   */
  isMet(): boolean
  /** Our accounts that were below their low-water mark a few seconds ago, in sentences for an operator. */
  lowBalances(): readonly string[]
  /** All their balances and marks, as read a few seconds ago. */
  levels(): readonly ChainLevel[]
  /** A currency's contract, as read from the chain. Throws 503 `UNAVAILABLE` until it is read. */
  token(currency: string): ChainToken
  /**
   * The most that the chain charges for `transfers` transfers of a currency at its current fees, with the
   * margin of the rails file. Throws 503 `UNAVAILABLE` if no node responds.
   */
  transferFee(currency: string, transfers: number): Promise<NetworkFee>
  /**
   * The record of a new address for an internal account or a quote, and the address in the API's spelling.
   * Throws 503 `UNAVAILABLE` until the chain is reached.
   */
  newAddress(
    from: RecordsFrom,
    ownerId: string,
  ): { readonly address: string; readonly writes: readonly Write[] }
  /**
   * Mints an amount to an address, at the faucet of a sandbox chain; absent if the chain has no faucet. Not
   * idempotent. Throws if the node does not respond, or refuses.
   */
  mint?(currency: string, to: Hex, amount: bigint): Promise<void>
  /**
   * The record of a wallet's address, whose key derives from the wallet's own seed. Throws 503 `UNAVAILABLE`
   * until the chain is reached.
   */
  walletAddress(from: RecordsFrom, accountId: string, address: Hex): Write
  /** The id of that record. */
  walletAddressId(accountId: string): string
  /**
   * The reason why an address cannot be cold storage, as the end of a sentence about it. Undefined also if no node
   * responds.
   */
  faultOfColdStorage(read: Read, address: Hex): Promise<string | undefined>
  /**
   * The record of a cold storage address, which the server then follows; empty if it exists. Guard: it was
   * not added in the meantime. Throws 503 `UNAVAILABLE` until the chain is reached.
   */
  coldAddress(read: Read, from: RecordsFrom, ownAccountId: string, address: Hex): Promise<readonly Write[]>
  /**
   * Queues a treasury movement. Guard: it is not queued yet. Throws 503 `UNAVAILABLE` until the chain is
   * reached.
   */
  move(from: RecordsFrom, movement: TreasuryTransfer): Write
  /** The address of the treasury's key with this number. The first one has 0. */
  treasuryAddress(number: number): Hex
  /**
   * Moves the treasury to the key with this number. Guard: no other rotation came in between. Throws 503
   * `UNAVAILABLE` until the chain is reached.
   */
  rotate(op: RotationFrom, number: number): Promise<readonly Write[]>
}

/** The operation that rotates a key. */
export interface RotationFrom extends RecordsFrom {
  readonly read: Read
}

/** A transfer of the treasury to an address of the operator. */
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
  /** The EIP-712 domain. Undefined if the token does not implement EIP-3009. */
  readonly domain: { readonly name: string; readonly version: string } | undefined
}
