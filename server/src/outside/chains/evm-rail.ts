import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import type { Hex } from '../../base/formats/hex.ts'
import type { ChainNodes } from '../../kernel/ports/chain-nodes.ts'
import type { RailChain } from '../../kernel/ports/rail.ts'
import { notReached } from '../../money/rails/choose-rail.ts'
import type { RailDesk } from '../../money/rails/rail-worker.ts'
import type { ConfiguredRail } from '../../money/rails/registry.ts'
import type { ChainFacts } from './chain-facts.ts'
import type { Faucet } from './faucet.ts'

/** A rail of kind `evm`: a chain, its tokens, and the keys of this server there. */
export interface EvmRail extends ConfiguredRail {
  readonly entry: EvmRailValue
  readonly nodes: ChainNodes
  /** Each node by itself, by its host: its address may have a key in it. */
  readonly nodesApart: readonly { readonly host: string; readonly nodes: ChainNodes }[]
  readonly chain: RailChain
  /** Present on a sandbox's chain that has one. */
  readonly faucet: Faucet | undefined
  /** The addresses of its gas accounts, in the order of their names. */
  readonly gas: readonly Hex[]
  /** Undefined while nobody could read them. */
  facts: ChainFacts | undefined
  /** The accounts that had less than their low-water mark when this process looked last, in sentences. */
  lowBalances: readonly string[]
  /** The block up to which logs were followed, as this process last saw it. Undefined before any process has met the chain. */
  followedBlock: bigint | undefined
}

/** What the desk of a chain works with. */
export interface ChainDesk extends RailDesk {
  readonly rail: EvmRail
}

export const TREASURY = 'TREASURY'

/** The gas accounts of a rail, by their names. */
export function gasNames({ gasAccounts = 1 }: EvmRailValue): string[] {
  return Array.from({ length: gasAccounts }, (_, index) => `GAS ${index}`)
}

export function isEvmRail(rail: object): rail is EvmRail {
  return 'nodes' in rail && 'chain' in rail
}

/**
 * The block up to which the chain was followed: what is made now is in no block up to it. Error: 503 `UNAVAILABLE` before the chain is
 * met, because nobody would notice what happens there until then.
 */
export function followedBlockOf({ followedBlock }: EvmRail): bigint {
  if (followedBlock === undefined) throw notReached()
  return followedBlock
}
