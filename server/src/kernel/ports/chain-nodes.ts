import type { Hex } from '../../base/formats/hex.ts'

export interface ChainBlock {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix time in seconds. */
  readonly timestamp: bigint
  /** In wei. 0 for blocks from before EIP-1559. */
  readonly baseFeePerGas: bigint
}

/** The time of a block. */
export function toBlockTime({ timestamp }: ChainBlock): Date {
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

/** The outcome of a transaction that is in a block. */
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
   * One entry per topic: the required topic, several alternatives, or null for any. A log may have more
   * topics than the filter.
   */
  readonly topics: readonly (Hex | readonly Hex[] | null)[]
  /** The first and last block, both inclusive. */
  readonly from: bigint
  readonly to: bigint
}

export interface ChainCall {
  readonly to: Hex
  readonly data: Hex
  readonly from?: Hex
}

/** In wei per gas: the base fee of the latest block, and the tip suggested by the node. */
export interface ChainFees {
  readonly baseFeePerGas: bigint
  readonly priorityFeePerGas: bigint
}

/**
 * A node's response to a transaction.
 * - `nonce-used`: a block has a transaction with this sender and nonce, this one or another
 * - `underpriced`: the fee is too low, in general or for a replacement
 * - `no-funds`: the sender does not have enough coin
 */
export type SendResult = 'taken' | 'known' | 'nonce-used' | 'underpriced' | 'no-funds'

/**
 * The nodes of one chain; they may fail or lie, so every response is checked. All methods throw NodeError; if
 * agreement is configured, two nodes must return the same result, except for `fees`, `estimateGas` and
 * pending values. Calls without a block, or for `latest`, are then made for the block of `head`.
 */
export interface ChainNodes {
  /**
   * The latest block. If two nodes must agree, the lower of their heads, which both have. May go back by a
   * few blocks.
   */
  head(): Promise<ChainBlock>
  /** Undefined if the chain has not reached this block. */
  block(number: bigint): Promise<ChainBlock | undefined>
  /** The hash of block 0. */
  genesis(): Promise<Hex>
  /** Asks all nodes, including standbys. Returns the configured id unless every node is on another chain. */
  chainId(): Promise<number>
  /**
   * All logs of a range, ordered by block and index; the range is split in half if it is too long for a node.
   * Every log matches the filter, occurs once, and is in the block whose number it states. A node that has
   * not reached the end of the range counts as failed.
   */
  logs(filter: LogFilter): Promise<readonly ChainLog[]>
  /**
   * Undefined if the transaction is not in a block yet, or if two nodes do not agree on its block near the
   * head.
   */
  receipt(hash: Hex): Promise<ChainReceipt | undefined>
  /** The receipts of many transactions, in few requests. Transactions without a receipt are omitted. */
  receipts(hashes: readonly Hex[]): Promise<ReadonlyMap<Hex, ChainReceipt>>
  /** The number of transactions sent by an account, which is its next nonce. */
  transactionCount(address: Hex, at: bigint | 'latest' | 'pending'): Promise<bigint>
  /** The balance of an account in the native coin of the chain, in wei. */
  nativeBalance(address: Hex, at?: bigint): Promise<bigint>
  /** `0x` for an address without a contract. */
  code(address: Hex): Promise<Hex>
  /** The result of calling a contract without a transaction. Throws CallReverted. */
  call(call: ChainCall, at?: bigint): Promise<Hex>
  /** Throws CallReverted, even if the sender just does not have enough coin. */
  estimateGas(call: Required<ChainCall>): Promise<bigint>
  fees(): Promise<ChainFees>
  /**
   * Sends a signed transaction to all nodes; it has arrived if any node has it (`taken`, `known`). A
   * rejection counts only if no other node may have accepted it. After a NodeError the outcome is unknown,
   * and the caller must send the same bytes again.
   */
  send(raw: Hex): Promise<SendResult>
}

/**
 * Why no response counts.
 * - NO_ANSWER: no node could be reached, or every response was an error or invalid
 * - BEHIND: the reachable nodes do not have the blocks yet
 * - OLD_BLOCK: the head of the chain is old, in the future, or far below an earlier one
 * - OTHER_CHAIN: the nodes are on another chain
 * - DISAGREEMENT: two nodes contradict each other
 */
export type NodeProblem = 'NO_ANSWER' | 'BEHIND' | 'OLD_BLOCK' | 'OTHER_CHAIN' | 'DISAGREEMENT'

/** No node returned a valid response. The outcome is unknown. */
export class NodeError extends Error {
  override readonly name = 'NodeError'
  readonly problem: NodeProblem

  constructor(problem: NodeProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

/**
 * The chain would reject a call. `data` is the contract's revert data or `0x`; `message` is the node's
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
