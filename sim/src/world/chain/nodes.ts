import type { Hex } from '../../../../server/src/base/formats/hex.ts'
import { toLowerHex } from '../../../../server/src/base/formats/hex.ts'
import type { Machine } from '../../machine/machine.ts'
import {
  createNetworkError,
  type HostResponse,
  type Network,
  type OutgoingRequest,
} from '../../machine/network.ts'
import type { Random } from '../../machine/random.ts'
import { type Block, type Chain, GAS_USED, type MinedTransaction } from './chain.ts'
import {
  CHAIN_ID,
  executeTransaction,
  executeView,
  type Log,
  MULTICALL,
  RevertError,
  State,
  TOKEN,
} from './token.ts'

/** A node's treatment of its callers. */
export interface NodeBehavior {
  /** The fraction of heads for which the node lags one block behind. */
  readonly behind: number
  /** The fraction of transactions that the node accepts without responding. */
  readonly lostResponses: number
  /** The fraction of log requests whose response lacks a log. Only used if two nodes have to agree. */
  readonly missingLogs: number
  /** The approximate time between the node's few short outages. */
  readonly downEveryMs: number | undefined
}

/** A node's refusal, as a JSON-RPC error. */
interface Refusal {
  readonly code: number
  readonly message: string
}

interface RpcCall {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

const PRIORITY_FEE = 7n
const BLOCK_NOT_FOUND: Refusal = { code: -32000, message: 'header not found' }
const FIRST_PORT = 9117
const OUTAGES_MAX = 4
const OUTAGE_MS_MAX = 6_000

/** A node of the chain, which serves JSON-RPC at an address of the simulated network. */
export class ChainNode {
  readonly url: string
  readonly #chain: Chain
  readonly #machine: Machine
  readonly #random: Random
  readonly #behavior: NodeBehavior
  #isDown = false
  #isFaultFree = true
  /** The head for which the lag was last decided, and the lag in blocks. */
  #behind: { readonly hash: Hex; readonly blocks: number } | undefined

  constructor(machine: Machine, network: Network, chain: Chain, behavior: NodeBehavior, at: number) {
    const host = `127.0.0.1:${FIRST_PORT + at}`
    this.url = `http://${host}`
    this.#machine = machine
    this.#random = machine.random.fork()
    this.#chain = chain
    this.#behavior = behavior
    network.hosts.set(host, (request) => this.#handleRequest(request))
  }

  /** Turns the node's faults off or on. */
  set isFaultFree(isFaultFree: boolean) {
    this.#isFaultFree = isFaultFree
    this.#isDown = false
    if (!isFaultFree) this.#scheduleOutage(OUTAGES_MAX)
  }

  #scheduleOutage(remaining: number): void {
    const { downEveryMs } = this.#behavior
    if (downEveryMs === undefined || remaining === 0) return
    this.#machine.runAfter(this.#random.integerBelow(2 * downEveryMs), () => {
      this.#isDown = !this.#isFaultFree
      this.#machine.runAfter(this.#random.integerBelow(OUTAGE_MS_MAX), () => {
        this.#isDown = false
        if (!this.#isFaultFree) this.#scheduleOutage(remaining - 1)
      })
    })
  }

  async #handleRequest({ body }: OutgoingRequest): Promise<HostResponse> {
    if (this.#isDown) throw createNetworkError('ECONNREFUSED')
    const calls: RpcCall | RpcCall[] = JSON.parse(body.toString())
    const all = Array.isArray(calls) ? calls : [calls]
    const responses = all.map((call) => this.#handleCall(call))
    const hasTransaction = all.some(({ method }) => method === 'eth_sendRawTransaction')
    if (hasTransaction && !this.#isFaultFree && this.#random.chance(this.#behavior.lostResponses))
      throw createNetworkError('ECONNRESET')
    return { status: 200, body: JSON.stringify(Array.isArray(calls) ? responses : responses[0]) }
  }

  #handleCall({ id, method, params }: RpcCall): object {
    try {
      const result = this.#computeResult(method, params)
      return isRefusal(result) ? { jsonrpc: '2.0', id, error: result } : { jsonrpc: '2.0', id, result }
    } catch (error) {
      if (!(error instanceof RevertError)) throw error
      return { jsonrpc: '2.0', id, error: { code: 3, message: error.message, data: '0x' } }
    }
  }

  #computeResult(method: string, params: readonly unknown[]): unknown {
    const [first, second] = params
    switch (method) {
      case 'eth_chainId':
        return toHex(BigInt(CHAIN_ID))
      case 'eth_blockNumber':
        return toHex(this.#findHead().number)
      case 'eth_maxPriorityFeePerGas':
        return toHex(PRIORITY_FEE)
      case 'eth_getBlockByNumber': {
        const block = this.#findBlock(first)
        return block ? toWireBlock(block) : null
      }
      case 'eth_getTransactionReceipt':
        return this.#findReceipt(String(first))
      case 'eth_getLogs':
        return this.#findLogs(first as LogFilter)
      case 'eth_sendRawTransaction': {
        const outcome = this.#chain.send(first as Hex)
        return typeof outcome === 'string' ? outcome : { code: -32000, message: outcome.refusal }
      }
      case 'eth_getCode':
        return [TOKEN, MULTICALL].includes(toLowerHex(String(first))) ? '0x60' : '0x'
      case 'eth_estimateGas':
        executeTransaction(new State(this.#findHead().state), toCall(first), this.#findHead().timestamp)
        return toHex(GAS_USED)
    }
    const block = this.#findBlock(second)
    if (!block) return BLOCK_NOT_FOUND
    const { state, timestamp } = block
    if (method === 'eth_getBalance') return toHex(state.getCoinBalance(toLowerHex(String(first))))
    if (method === 'eth_getTransactionCount')
      return toHex(state.getTransactionCount(toLowerHex(String(first))))
    if (method === 'eth_call') return executeView(state, toCall(first), timestamp)
    return { code: -32601, message: `the method ${method} does not exist/is not available` }
  }

  /** The highest block that this node has. It may lag one block behind until the next block. */
  #findHead(): Block {
    const { blocks, head } = this.#chain
    if (this.#isFaultFree) return head
    if (this.#behind?.hash !== head.hash)
      this.#behind = { hash: head.hash, blocks: this.#random.chance(this.#behavior.behind) ? 1 : 0 }
    return blocks[blocks.length - 1 - this.#behind.blocks] ?? head
  }

  #findBlock(tag: unknown): Block | undefined {
    const head = this.#findHead()
    const number = tag === 'latest' || tag === 'pending' || tag === undefined ? head.number : Number(tag)
    return number > head.number ? undefined : this.#chain.blocks[Number(number)]
  }

  #listKnownBlocks(): readonly Block[] {
    return this.#chain.blocks.slice(0, Number(this.#findHead().number) + 1)
  }

  #findReceipt(hash: string): object | null {
    for (const block of this.#listKnownBlocks())
      for (const mined of block.mined) if (mined.transaction.hash === hash) return toWireReceipt(block, mined)
    return null
  }

  #findLogs({ address, topics, fromBlock, toBlock }: LogFilter): object[] {
    if (toLowerHex(address) !== TOKEN) return []
    const found = this.#listKnownBlocks()
      .slice(Number(fromBlock), Number(toBlock) + 1)
      .flatMap((block) => toWireLogs(block).filter((log) => matchesTopics(log.topics, topics)))
    const isMissing =
      found.length > 0 && !this.#isFaultFree && this.#random.chance(this.#behavior.missingLogs)
    return isMissing ? found.slice(1) : found
  }
}

interface LogFilter {
  readonly address: string
  readonly topics: readonly (string | readonly string[] | null)[]
  readonly fromBlock: string
  readonly toBlock: string
}

function isRefusal(result: unknown): result is Refusal {
  return typeof result === 'object' && result !== null && 'code' in result && 'message' in result
}

function toCall(value: unknown) {
  const { from = `0x${'0'.repeat(40)}`, to, data } = value as Record<string, string>
  return { from: toLowerHex(from), to: toLowerHex(to!), data: toLowerHex(data!) }
}

function toHex(value: bigint | number): Hex {
  return `0x${value.toString(16)}`
}

function toWireBlock({ number, hash, parentHash, timestamp, baseFee }: Block): object {
  return {
    ...{
      number: toHex(number),
      hash,
      parentHash,
      timestamp: toHex(timestamp),
      baseFeePerGas: toHex(baseFee),
    },
  }
}

interface WireLog extends Log {
  readonly transactionHash: Hex
}

function toWireLogs(block: Block): WireLog[] {
  return block.mined
    .flatMap(({ transaction, effects }) => effects.logs.map((log) => ({ transaction, log })))
    .map(({ transaction, log }, index) => ({
      ...{ address: TOKEN, ...log, blockNumber: toHex(block.number), blockHash: block.hash },
      ...{ transactionHash: transaction.hash, logIndex: toHex(index), removed: false },
    }))
}

function toWireReceipt(block: Block, { transaction, succeeded, price }: MinedTransaction): object {
  const { hash, from, to } = transaction
  return {
    ...{ transactionHash: hash, blockNumber: toHex(block.number), blockHash: block.hash, from, to },
    ...{ status: toHex(succeeded ? 1 : 0), gasUsed: toHex(GAS_USED), effectiveGasPrice: toHex(price) },
    logs: toWireLogs(block).filter(({ transactionHash }) => transactionHash === hash),
  }
}

function matchesTopics(topics: readonly Hex[], filter: LogFilter['topics']): boolean {
  return filter.every((expected, at) => {
    const topic = topics[at]
    if (topic === undefined) return false
    if (expected === null) return true
    return typeof expected === 'string'
      ? expected.toLowerCase() === topic
      : expected.some((choice) => choice.toLowerCase() === topic)
  })
}
