import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { Hex } from '../../../base/formats/hex.ts'
import { toJson } from '../../../base/json/json.ts'
import type { ChainNodes } from '../../../kernel/ports/chain-nodes.ts'
import { type ChainNodesOptions, createChainNodes } from './chain-nodes.ts'
import type { NodeAlert } from './node.ts'

/** The time of block 0, in Unix seconds. Blocks are one second apart. */
export const STARTED_AT = 1_700_000_000
export const CHAIN_ID = 8453
export const TOKEN: Hex = `0x${'aa'.repeat(20)}`
export const TRANSFER: Hex = `0x${'dd'.repeat(32)}`

/** A response that is a JSON-RPC error object. */
export class RpcError {
  readonly code: number
  readonly message: string
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    this.code = code
    this.message = message
    this.data = data
  }
}

/** A log or receipt in its wire format. */
export type Wire = Readonly<Record<string, unknown>>

type Lie = (params: readonly unknown[], correctResult: () => unknown) => unknown

/** A node's state, and the wrong responses that it gives. All of it can be changed while the node runs. */
export interface FakeNode {
  readonly url: string
  /** Names of the called methods, one entry per call. */
  readonly calledMethods: string[]
  /** The number of HTTP requests. */
  requests: number
  chainId: number
  /** The number of the latest block. */
  head: number
  /** The first block of the node's own branch, and the branch's name. */
  branch: { readonly from: number; readonly name: string } | undefined
  logs: Wire[]
  receipts: Map<string, Wire>
  /** Wrong responses, by method. They replace the correct ones. */
  lies: Record<string, Lie>
  /** Takes over any response. Returns false to let the node respond as usual. */
  hijack: ((response: ServerResponse, body: unknown) => boolean) | undefined
  stop(): Promise<void>
}

export function toHash(text: string): Hex {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}

export function toHexQuantity(number: number | bigint): Hex {
  return `0x${number.toString(16)}`
}

export function toBlockHash({ branch }: Pick<FakeNode, 'branch'>, number: number): Hex {
  return toHash(branch && number >= branch.from ? `${branch.name} ${number}` : `block ${number}`)
}

/** A transfer in a block, as this node reports it. */
export function toWireLog(node: Pick<FakeNode, 'branch'>, number: number, index = 0): Wire {
  return {
    address: TOKEN.toUpperCase().replace('0X', '0x'),
    topics: [TRANSFER, `0x${'00'.repeat(32)}`],
    data: `0x${'01'.repeat(32)}`,
    blockNumber: toHexQuantity(number),
    blockHash: toBlockHash(node, number),
    transactionHash: toHash(`transaction ${number} ${index}`),
    logIndex: toHexQuantity(index),
    removed: false,
  }
}

export function toWireReceipt(node: Pick<FakeNode, 'branch'>, number: number, status = 1): Wire {
  const log = toWireLog(node, number)
  const { transactionHash, blockNumber, blockHash: hash } = log
  return {
    ...{ transactionHash, blockNumber, blockHash: hash },
    status: toHexQuantity(status),
    gasUsed: '0x5208',
    effectiveGasPrice: '0x3b9aca00',
    from: `0x${'11'.repeat(20)}`,
    to: TOKEN,
    logs: [log],
  }
}

/** Starts a local node with a chain of `head` + 1 blocks. It stops at the end of the test. */
export async function startNode(initial: Partial<FakeNode> = {}, port = 0): Promise<FakeNode> {
  const server = createServer((request, response) => {
    handleRequest(node, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const node: FakeNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/key-of-the-operator`,
    ...{ calledMethods: [], requests: 0, chainId: CHAIN_ID, head: 100, branch: undefined, logs: [] },
    ...{ receipts: new Map(), lies: {}, hijack: undefined, stop },
    ...initial,
  }
  onTestFinished(stop)
  return node
}

interface Request {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

async function handleRequest(
  node: FakeNode,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = (await json(request)) as Request | readonly Request[]
  node.requests++
  if (node.hijack?.(response, body)) return
  const responses = Array.isArray(body)
    ? // Reversed, because the protocol allows responses in any order.
      body.map((single: Request) => respond(node, single)).reverse()
    : respond(node, body as Request)
  response.setHeader('Content-Type', 'application/json')
  response.end(toJson(responses))
}

function respond(node: FakeNode, { id, method, params }: Request): object {
  node.calledMethods.push(method)
  const correctResult = () => computeResult(node, method, params)
  const result = node.lies[method] ? node.lies[method](params, correctResult) : correctResult()
  return result instanceof RpcError
    ? { jsonrpc: '2.0', id, error: { code: result.code, message: result.message, data: result.data } }
    : { jsonrpc: '2.0', id, result }
}

function computeResult(node: FakeNode, method: string, [first, second]: readonly unknown[]): unknown {
  if (method === 'eth_chainId') return toHexQuantity(node.chainId)
  if (method === 'eth_blockNumber') return toHexQuantity(node.head)
  if (method === 'eth_getBlockByNumber')
    return toWireBlock(node, first === 'latest' ? node.head : Number(first))
  if (method === 'eth_getTransactionReceipt') return node.receipts.get(first as string) ?? null
  if (method === 'eth_maxPriorityFeePerGas') return toHexQuantity(7)
  if (method === 'eth_getBalance' || method === 'eth_getTransactionCount')
    return second === 'pending'
      ? toHexQuantity(999)
      : toHexQuantity(second === 'latest' ? node.head : Number(second))
  if (method === 'eth_getLogs') {
    const { fromBlock, toBlock } = first as { readonly fromBlock: string; readonly toBlock: string }
    const isInRange = ({ blockNumber }: Wire) =>
      Number(blockNumber) >= Number(fromBlock) && Number(blockNumber) <= Number(toBlock)
    return node.logs.filter(isInRange)
  }
  return new RpcError(-32601, `the method ${method} does not exist/is not available`)
}

function toWireBlock(node: FakeNode, number: number): Wire | null {
  if (number > node.head) return null
  return {
    number: toHexQuantity(number),
    hash: toBlockHash(node, number),
    parentHash: toBlockHash(node, number - 1),
    timestamp: toHexQuantity(STARTED_AT + number),
    // The first block may predate base fees.
    ...(number === 0 ? {} : { baseFeePerGas: toHexQuantity(1_000 + number) }),
  }
}

/** The chain as seen through these nodes, with its log and a clock that only `advance` moves. */
export interface TestChain extends ChainNodes {
  readonly alerts: NodeAlert[]
  readonly logged: string[]
  advance(seconds: number): void
}

export function createTestChain(
  nodes: readonly FakeNode[],
  initial: Partial<ChainNodesOptions> = {},
): TestChain {
  const alerts: NodeAlert[] = []
  const logged: string[] = []
  let nowMs = (STARTED_AT + 100) * 1_000
  const write = (fields: object, message: string) => void logged.push(`${message} ${toJson(fields)}`)
  const chain = createChainNodes({
    rpcUrls: nodes.map(({ url }) => url),
    agreement: 1,
    chainId: CHAIN_ID,
    clock: () => new Date(nowMs),
    log: { debug: write, info: write, warn: write, error: write },
    onAlert: (alert) => alerts.push(alert),
    timeoutMs: 5_000,
    ...initial,
  })
  const advance = (seconds: number) => {
    nowMs += seconds * 1_000
  }
  return { ...chain, alerts, logged, advance }
}
