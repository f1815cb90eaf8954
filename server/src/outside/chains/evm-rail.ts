import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import type { Hex } from '../../base/formats/hex.ts'
import type { ChainLevel } from '../../kernel/ports/chain-level.ts'
import type { ChainNodes } from '../../kernel/ports/chain-nodes.ts'
import type { RailChain } from '../../kernel/ports/rail-chain.ts'
import { createChainNotReachedError } from '../../money/rails/choose-rail.ts'
import type { RailWorker } from '../../money/rails/rail-worker.ts'
import type { ConfiguredRail } from '../../money/rails/registry.ts'
import type { ChainFacts } from './chain-facts.ts'
import type { Faucet } from './faucet.ts'

/** A rail of kind `evm`: a chain, its tokens, and this server's keys on it. */
export interface EvmRail extends ConfiguredRail {
  readonly entry: EvmRailValue
  readonly nodes: ChainNodes
  /** Each node separately, identified by host because its URL may contain an API key. */
  readonly nodesByHost: readonly { readonly host: string; readonly nodes: ChainNodes }[]
  readonly chain: RailChain
  /** Present only on sandbox chains that have a faucet. */
  readonly faucet: Faucet | undefined
  /** The current treasury address and the ones retired by key rotation, as this process last read them. */
  treasury: Hex
  treasuryId: string
  retired: readonly Hex[]
  /** The gas accounts' addresses, ordered by account name. */
  readonly gas: readonly Hex[]
  /** Undefined until first read. */
  facts: ChainFacts | undefined
  /** One sentence per account that was below its low-water mark at the last check. */
  lowBalances: readonly string[]
  /** The accounts' balances, as this process last read them. */
  levels: readonly ChainLevel[]
  /**
   * The last followed block, as this process last read it. Undefined until a process has reached the chain.
   */
  followedBlock: bigint | undefined
}

/** The context of a chain's worker. */
export interface ChainWorker extends RailWorker {
  readonly rail: EvmRail
}

export const TREASURY = 'TREASURY'

/** The purpose of a treasury key's address in its rail's address table. */
export function formatTreasuryName(keyNumber: number): string {
  return keyNumber === 0 ? TREASURY : `${TREASURY} ${keyNumber}`
}

/** True if the address is the treasury's current or a retired one. */
export function isTreasury({ treasury, retired }: EvmRail, address: Hex): boolean {
  return address === treasury || retired.includes(address)
}

export function listGasNames({ gasAccounts = 1 }: EvmRailValue): string[] {
  return Array.from({ length: gasAccounts }, (_, index) => `GAS ${index}`)
}

export function isEvmRail(rail: object): rail is EvmRail {
  return 'nodes' in rail && 'chain' in rail
}

/**
 * Returns the last followed block: a transaction made from now on can only be in a later one. Throws 503
 * `UNAVAILABLE` if the chain has not been reached yet, because earlier events would be missed.
 */
export function requireFollowedBlock({ followedBlock }: EvmRail): bigint {
  if (followedBlock === undefined) throw createChainNotReachedError()
  return followedBlock
}
