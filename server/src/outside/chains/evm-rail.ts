import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import type { Hex } from '../../base/formats/hex.ts'
import type { ChainLevel } from '../../kernel/ports/chain-level.ts'
import type { ChainNodes } from '../../kernel/ports/chain-nodes.ts'
import type { RailChain } from '../../kernel/ports/rail-chain.ts'
import { notReached } from '../../money/rails/choose-rail.ts'
import type { RailWorker } from '../../money/rails/rail-worker.ts'
import type { ConfiguredRail } from '../../money/rails/registry.ts'
import type { ChainFacts } from './chain-facts.ts'
import type { Faucet } from './faucet.ts'

/** A rail of kind `evm`: a chain, its tokens, and the keys of this server there. */
export interface EvmRail extends ConfiguredRail {
  readonly entry: EvmRailValue
  readonly nodes: ChainNodes
  /** Each node separately, by its host: its URL may contain a key. */
  readonly nodesApart: readonly { readonly host: string; readonly nodes: ChainNodes }[]
  readonly chain: RailChain
  /** Present if the chain is a sandbox's and has one. */
  readonly faucet: Faucet | undefined
  /** The present address of the treasury, and those that rotations have retired, as this process last saw them. */
  treasury: Hex
  treasuryId: string
  retired: readonly Hex[]
  /** The addresses of its gas accounts, in the order of their names. */
  readonly gas: readonly Hex[]
  /** Undefined until they were read. */
  facts: ChainFacts | undefined
  /** The accounts below their low-water mark when this process last checked, in sentences. */
  lowBalances: readonly string[]
  /** The balances of its accounts, as this process has last read them. */
  levels: readonly ChainLevel[]
  /**
   * The block up to which logs were followed, as this process last saw it. Undefined before any process has
   * reached the chain.
   */
  followedBlock: bigint | undefined
}

/** Context of the worker on a chain. */
export interface ChainWorker extends RailWorker {
  readonly rail: EvmRail
}

export const TREASURY = 'TREASURY'

/** The name of a key of the treasury among the addresses of its rail. */
export function treasuryName(number: number): string {
  return number === 0 ? TREASURY : `${TREASURY} ${number}`
}

/** True if an address is or was the treasury's. */
export function isTreasury({ treasury, retired }: EvmRail, address: Hex): boolean {
  return address === treasury || retired.includes(address)
}

export function gasNames({ gasAccounts = 1 }: EvmRailValue): string[] {
  return Array.from({ length: gasAccounts }, (_, index) => `GAS ${index}`)
}

export function isEvmRail(rail: object): rail is EvmRail {
  return 'nodes' in rail && 'chain' in rail
}

/**
 * The block up to which the chain was followed, which contains no transaction made from now on. Throws 503
 * `UNAVAILABLE` before the chain was reached, because events there would be missed until then.
 */
export function requireFollowedBlock({ followedBlock }: EvmRail): bigint {
  if (followedBlock === undefined) throw notReached()
  return followedBlock
}
