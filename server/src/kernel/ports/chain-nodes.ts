import type { Hex } from '../../base/formats/hex.ts'

export interface ChainBlock {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix time in seconds. */
  readonly timestamp: bigint
  /** Wei; 0 in a block from before EIP-1559. */
  readonly baseFeePerGas: bigint
}

/** The time of a block. */
export function timeOf({ timestamp }: ChainBlock): Date {
  return new Date(Number(timestamp) * 1000)
}

export interface ChainLog {
  /** The contract that emitted it. */
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly transactionHash: Hex
  /** Its index among all logs of the block. */
  readonly logIndex: number
}

/** Outcome of a transaction that is in a block. */
export interface ChainReceipt {
  readonly transactionHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly status: 'success' | 'reverted'
  readonly gasUsed: bigint
  /** Wei per gas. */
  readonly effectiveGasPrice: bigint
  readonly from: Hex
  /** Null if the transaction created a contract. */
  readonly to: Hex | null
  readonly logs: readonly ChainLog[]
}

export interface LogFilter {
  readonly address: Hex
  /**
   * One entry per topic: this topic, one of these, or any (null). A log may have more topics than the filter.
   */
  readonly topics: readonly (Hex | readonly Hex[] | null)[]
  /** The first and the last block, both included. */
  readonly from: bigint
  readonly to: bigint
}

export interface ChainCall {
  readonly to: Hex
  readonly data: Hex
  readonly from?: Hex
}

/** Wei per gas: the base fee of the latest block, and the tip that the node suggests. */
export interface ChainFees {
  readonly baseFeePerGas: bigint
  readonly priorityFeePerGas: bigint
}

/**
 * A node's response to a sent transaction.
 * - `nonce-used`: a transaction of this sender and nonce is in a block, this one or another
 * - `underpriced`: its fee is too low, alone or as a replacement
 * - `no-funds`: the sender has too little coin
 */
export type SendResult = 'taken' | 'known' | 'nonce-used' | 'underpriced' | 'no-funds'

/**
 * Nodes of one chain, which may fail and lie: every response is checked, and all methods throw NodeError. If
 * an agreement of two is configured, two nodes must return the same, except for `fees`, `estimateGas` and
 * pending values; calls without a block or for `latest` are then made for the block of `head`.
 */
export interface ChainNodes {
  /** The latest block. With two nodes: the lower one, which both have. It may go back by a few blocks. */
  head(): Promise<ChainBlock>
  /** Undefined if the chain has not reached it. */
  block(number: bigint): Promise<ChainBlock | undefined>
  /** The hash of block 0. */
  genesis(): Promise<Hex>
  /** Asks all nodes, including standbys. Returns the configured id, unless all nodes are of another chain. */
  chainId(): Promise<number>
  /**
   * All logs of a range, by block and index, halved if it is too long for the node. Each one matches the
   * filter, occurs once, and is in the block that has its number. Nodes that have not reached the end of the
   * range count as failed.
   */
  logs(filter: LogFilter): Promise<readonly ChainLog[]>
  /** Undefined if it is in no block yet, or if two nodes do not yet agree on its block near the head. */
  receipt(hash: Hex): Promise<ChainReceipt | undefined>
  /** The receipts of many transactions, in few requests. Transactions without a receipt are left out. */
  receipts(hashes: readonly Hex[]): Promise<ReadonlyMap<Hex, ChainReceipt>>
  /** The number of transactions that an account has sent, which is its next nonce. */
  transactionCount(address: Hex, at: bigint | 'latest' | 'pending'): Promise<bigint>
  /** Balance of an account in the chain's own coin, in wei. */
  coin(address: Hex, at?: bigint): Promise<bigint>
  /** `0x` for an address without a contract. */
  code(address: Hex): Promise<Hex>
  /** The result of a contract call, without a transaction. Throws CallReverted. */
  call(call: ChainCall, at?: bigint): Promise<Hex>
  /** Throws CallReverted, also if the sender has too little coin. */
  estimateGas(call: Required<ChainCall>): Promise<bigint>
  fees(): Promise<ChainFees>
  /**
   * Sends a signed transaction to all nodes. It has arrived if one has it (`taken`, `known`); a refusal
   * counts only if no other node may have taken it. After a NodeError the outcome is unknown: the caller
   * sends the same bytes again.
   */
  send(raw: Hex): Promise<SendResult>
}

/**
 * Reasons why no response counts.
 * - NO_ANSWER: no node could be reached, or each refused or returned an invalid response
 * - BEHIND: the reachable nodes lack the blocks
 * - OLD_BLOCK: the chain's head is old, in the future, or far below an earlier one
 * - OTHER_CHAIN: the nodes are of another chain
 * - DISAGREEMENT: two nodes contradict each other
 */
export type NodeProblem = 'NO_ANSWER' | 'BEHIND' | 'OLD_BLOCK' | 'OTHER_CHAIN' | 'DISAGREEMENT'

/** No node returned a response that counts. The outcome is unknown. */
export class NodeError extends Error {
  override readonly name = 'NodeError'
  readonly problem: NodeProblem

  constructor(problem: NodeProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

/**
 * The chain would refuse a call. `data` is the contract's revert data, or `0x`; `message` is the node's
 * message.
 */
export class CallReverted extends Error {
  override readonly name = 'CallReverted'
  readonly data: Hex

  constructor(data: Hex, message: string) {
    super(message)
    this.data = data
  }
}
