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

/** When a block was made. */
export function timeOf({ timestamp }: ChainBlock): Date {
  return new Date(Number(timestamp) * 1000)
}

export interface ChainLog {
  /** The contract that has written it. */
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly transactionHash: Hex
  /** Its place among all logs of the block. */
  readonly logIndex: number
}

/** What became of a transaction that is in a block. */
export interface ChainReceipt {
  readonly transactionHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly status: 'success' | 'reverted'
  readonly gasUsed: bigint
  /** Wei per gas. */
  readonly effectiveGasPrice: bigint
  readonly from: Hex
  /** Null where the transaction has made a contract. */
  readonly to: Hex | null
  readonly logs: readonly ChainLog[]
}

export interface LogFilter {
  readonly address: Hex
  /** By place: this topic, one of these, or (null) any. A log may have more topics than the filter names. */
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

/** Wei per gas: what the latest block has asked for, and what the node advises to add. */
export interface ChainFees {
  readonly baseFeePerGas: bigint
  readonly priorityFeePerGas: bigint
}

/**
 * What a node says of a sent transaction. `nonce-used`: a transaction of this sender and nonce is in a block, this one or
 * another. `underpriced`: its fee is too low, by itself or as a replacement. `no-funds`: the sender has too little coin.
 */
export type Sent = 'taken' | 'known' | 'nonce-used' | 'underpriced' | 'no-funds'

/**
 * Nodes of one chain, which may fail and lie. Every answer is checked before it is given on. Where an agreement of two
 * is configured, two nodes are asked and have to say the same, except for `fees`, `estimateGas` and what is pending. What
 * is asked without a block, or of `latest`, is then asked of the block that `head` names. All methods throw NodeError.
 */
export interface ChainNodes {
  /** The latest block. Of two nodes: the lower one, which both have. It may go back by a few blocks. */
  head(): Promise<ChainBlock>
  /** Undefined where the chain is not that long yet. */
  block(number: bigint): Promise<ChainBlock | undefined>
  /** The hash of block 0. */
  genesis(): Promise<Hex>
  /** Asks all nodes, also those that stand by. It is the configured one, unless all are of another. */
  chainId(): Promise<number>
  /**
   * All logs of a range, by block and index. Each one matches the filter, is there once, and is in the block that has its
   * number. A range that is too long for the node is halved. Nodes that have not reached the end of the range count as failed.
   */
  logs(filter: LogFilter): Promise<readonly ChainLog[]>
  /** Undefined where it is in no block yet, or where two nodes do not yet agree on its block near the head. */
  receipt(hash: Hex): Promise<ChainReceipt | undefined>
  /** The same of many transactions, in few requests: those that have a receipt. */
  receipts(hashes: readonly Hex[]): Promise<ReadonlyMap<Hex, ChainReceipt>>
  /** How many transactions an account has sent, which is its next nonce. */
  transactionCount(address: Hex, at: bigint | 'latest' | 'pending'): Promise<bigint>
  /** What an account has of the chain's own coin, in wei. */
  coin(address: Hex, at?: bigint): Promise<bigint>
  /** `0x` where there is no contract. */
  code(address: Hex): Promise<Hex>
  /** What a contract answers, without a transaction. Throws CallReverted. */
  call(call: ChainCall, at?: bigint): Promise<Hex>
  /** Throws CallReverted, also where the sender has too little coin. */
  estimateGas(call: Required<ChainCall>): Promise<bigint>
  fees(): Promise<ChainFees>
  /**
   * Gives a signed transaction to all nodes. It has arrived if one has it (`taken`, `known`). A refusal counts only if no other
   * node may have taken it. A NodeError leaves it unknown: the caller sends the same bytes again.
   */
  send(raw: Hex): Promise<Sent>
}

/**
 * Why nobody gave an answer that counts. NO_ANSWER: no node could be reached, or each refused or gave nonsense. BEHIND: those that
 * could be reached lack the blocks. OLD_BLOCK: the chain's head is old, in the future, or far below an earlier one. OTHER_CHAIN: the
 * nodes are of another chain. DISAGREEMENT: two nodes contradict each other.
 */
export type NodeProblem = 'NO_ANSWER' | 'BEHIND' | 'OLD_BLOCK' | 'OTHER_CHAIN' | 'DISAGREEMENT'

/** The nodes gave no answer that counts. Nothing is known. */
export class NodeError extends Error {
  override readonly name = 'NodeError'
  readonly problem: NodeProblem

  constructor(problem: NodeProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

/** The chain would refuse a call. `data` is what the contract says, `0x` where it says nothing; `message` is the node's text. */
export class CallReverted extends Error {
  override readonly name = 'CallReverted'
  readonly data: Hex

  constructor(data: Hex, message: string) {
    super(message)
    this.data = data
  }
}
