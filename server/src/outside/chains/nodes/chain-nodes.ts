import type { Hex } from '../../../base/formats/hex.ts'
import { toLowerHex } from '../../../base/formats/hex.ts'
import {
  CallReverted,
  type ChainBlock,
  type ChainCall,
  type ChainNodes,
  type ChainReceipt,
  NodeError,
} from '../../../kernel/ports/chain-nodes.ts'
import type { Log } from '../../../kernel/ports/log.ts'
import { Refusal, toFailure } from './failure.ts'
import { Node, type NodeAlert } from './node.ts'
import {
  callOrFail,
  findBlock,
  readFees,
  readHeadNumber,
  readLatestBlock,
  readLogs,
  readReceipts,
} from './node-calls.ts'
import { createAlerter, NodePool } from './pool.ts'
import { mergeReceipts, TIP_BLOCKS } from './receipts.ts'
import { parseRevert } from './refusals.ts'
import { sendToAll } from './send-to-all.ts'
import { formatQuantity, readData, readQuantity } from './values.ts'

export interface ChainNodesOptions {
  /** The nodes' URLs, the preferred one first. */
  readonly rpcUrls: readonly string[]
  /**
   * The number of nodes that must agree. 2 requires at least two nodes; a third one stands in for a node that
   * fails.
   */
  readonly agreement: 1 | 2
  readonly chainId: number
  /** The real time, used to compute the age of the head. */
  readonly clock: () => Date
  readonly log: Log
  readonly onAlert?: (alert: NodeAlert) => void
  /** Per request. Defaults to 10 s. */
  readonly timeoutMs?: number
  /** Per response. Defaults to 16 MB. */
  readonly bytesMax?: number
  /**
   * The maximum age of the latest block. Defaults to an hour; use Infinity for a chain that mines blocks only
   * on demand.
   */
  readonly headAgeSecondsMax?: number
  /** The maximum time by which a block may be ahead of the clock. Defaults to 15 minutes. */
  readonly headAheadSecondsMax?: number
}

const TIMEOUT_MS = 10_000
const BYTES_MAX = 16_000_000
const HEAD_AGE_SECONDS_MAX = 3_600
const HEAD_AHEAD_SECONDS_MAX = 900
/** No chain reorganizes this many blocks: a head further back than this comes from a stale node. */
const REORG_BLOCKS_MAX = 64n

/** Accesses a chain through its nodes over JSON-RPC. Keeps no connection open. */
export function createChainNodes(options: ChainNodesOptions): ChainNodes {
  const { rpcUrls, agreement, chainId, clock, log, timeoutMs = TIMEOUT_MS, bytesMax = BYTES_MAX } = options
  if (rpcUrls.length < agreement)
    throw new Error(
      `RAILS_FILE: the rail on chain ${chainId} has an agreement of ${agreement}, but only ${rpcUrls.length} in rpcs. Add a node.`,
    )
  const alert = createAlerter(log, clock, options.onAlert)
  const nodes = rpcUrls.map((url) => new Node({ url, timeoutMs, bytesMax, chainId, clock, log, alert }))
  const pool = new NodePool(nodes, agreement, alert)
  const head = createHeadReader(pool, options)
  /** The block to query, in the protocol's format: one that all queried nodes have. */
  const toBlockTag = async (block: bigint | 'latest' | undefined): Promise<string> => {
    if (typeof block === 'bigint') return formatQuantity(block)
    return agreement === 1 ? 'latest' : formatQuantity((await head.read()).number)
  }
  const receipts = async (hashes: readonly Hex[]): Promise<ReadonlyMap<Hex, ChainReceipt>> =>
    readAgreedReceipts(pool, hashes.map(toLowerHex))
  return {
    head: head.read,
    block: (number) => findAgreedBlock(pool, number),
    async genesis() {
      const block = await findAgreedBlock(pool, 0n)
      if (!block) throw new NodeError('BEHIND', 'A node did not return the genesis block')
      return block.hash
    },
    async chainId() {
      await pool.checkAll()
      return chainId
    },
    logs: (filter) => pool.findAgreement('logs', (node) => readLogs(node, filter)),
    receipts,
    receipt: async (hash) => (await receipts([hash])).get(toLowerHex(hash)),
    ...buildAccountQueries(pool, toBlockTag),
    fees: () => pool.queryOne((node) => readFees(node, clock(), head.limits())),
    send: (raw) => sendToAll(nodes, raw),
  }
}

type AccountQueries = Pick<ChainNodes, 'transactionCount' | 'nativeBalance' | 'code' | 'call' | 'estimateGas'>

/** Queries about an account or a contract at the block that `toBlockTag` selects. */
function buildAccountQueries(
  pool: NodePool,
  toBlockTag: (block: bigint | 'latest' | undefined) => Promise<string>,
): AccountQueries {
  const readQuantityAt = async (method: string, address: Hex, tag: string): Promise<bigint> =>
    pool.findAgreement(method, async (node) =>
      readQuantity(await callOrFail(node, method, address, tag), method),
    )
  return {
    async transactionCount(address, block) {
      const method = 'eth_getTransactionCount'
      if (block !== 'pending') return readQuantityAt(method, address, await toBlockTag(block))
      return pool.queryOne(async (node) =>
        readQuantity(await callOrFail(node, method, address, block), method),
      )
    },
    nativeBalance: async (address, block) =>
      readQuantityAt('eth_getBalance', address, await toBlockTag(block)),
    async code(address) {
      const tag = await toBlockTag('latest')
      const read = async (node: Node) =>
        readData(await callOrFail(node, 'eth_getCode', address, tag), 'The contract code')
      return pool.findAgreement('code', read)
    },
    async call(call, block) {
      const tag = await toBlockTag(block)
      const query = (node: Node) =>
        toOutcome(async () => readData(await node.call('eth_call', toParams(call), tag), 'eth_call'))
      return unwrapOutcome(await pool.findAgreement('a call', query))
    },
    async estimateGas(call) {
      const read = async (node: Node) =>
        readQuantity(await node.call('eth_estimateGas', toParams(call)), 'eth_estimateGas')
      return unwrapOutcome(await pool.queryOne((node) => toOutcome(() => read(node))))
    },
  }
}

/** Reads the head and remembers the highest one. */
function createHeadReader(
  pool: NodePool,
  { clock, headAgeSecondsMax, headAheadSecondsMax }: ChainNodesOptions,
) {
  let highest = 0n
  const limits = () => ({
    ageSecondsMax: headAgeSecondsMax ?? HEAD_AGE_SECONDS_MAX,
    aheadSecondsMax: headAheadSecondsMax ?? HEAD_AHEAD_SECONDS_MAX,
    numberMin: highest - REORG_BLOCKS_MAX,
  })
  const read = async (): Promise<ChainBlock> => {
    const responses = await pool.queryNodes((node) => readLatestBlock(node, clock(), limits()))
    const heads = responses.map(({ response }) => response)
    const lowest = heads.reduce((low, head) => (head.number < low.number ? head : low))
    const isCommon = heads.every(({ hash }) => hash === lowest.hash)
    const block = isCommon
      ? lowest
      : await findCommonBlock(
          pool,
          responses.map(({ node }) => node),
          lowest.number,
        )
    if (block.number > highest) highest = block.number
    return block
  }
  return { read, limits }
}

/**
 * Finds the highest block up to `from` that all these nodes share: near the head, they may temporarily be on
 * different branches.
 */
async function findCommonBlock(pool: NodePool, nodes: readonly Node[], from: bigint): Promise<ChainBlock> {
  for (let number = from; number >= 0n && number > from - TIP_BLOCKS; number--) {
    const responses = await pool.queryNodes((node) => findBlock(node, number), nodes)
    const [first, ...others] = responses.map(({ response }) => response)
    if (first && others.every((other) => other?.hash === first.hash)) return first
  }
  throw pool.reportDisagreement(`blocks at or below ${from}`, nodes)
}

/** Undefined if one of the nodes has not reached the block. */
async function findAgreedBlock(pool: NodePool, number: bigint): Promise<ChainBlock | undefined> {
  for (let attempt = 1; ; attempt++) {
    const responses = await pool.queryNodes((node) => findBlock(node, number))
    const [first, ...others] = responses.map(({ response }) => response)
    if (!first || others.includes(undefined)) return undefined
    if (others.every((other) => other?.hash === first.hash)) return first
    if (attempt === 2)
      throw pool.reportDisagreement(
        `block ${number}`,
        responses.map(({ node }) => node),
      )
  }
}

async function readAgreedReceipts(
  pool: NodePool,
  hashes: readonly Hex[],
): Promise<ReadonlyMap<Hex, ChainReceipt>> {
  // Read the head first, so that the receipts that follow include every transaction in a block up to it.
  const responses = await pool.queryNodes(async (node) => ({
    head: await readHeadNumber(node),
    receipts: await readReceipts(node, hashes),
  }))
  const [first, second] = responses
  if (!second) return first.response.receipts
  const merged = mergeReceipts(hashes, first.response, second.response)
  if (merged) return merged
  throw pool.reportDisagreement(
    'receipts',
    responses.map(({ node }) => node),
  )
}

/** The outcome of a call, in a form that can be compared between nodes. */
type Outcome<T> =
  | { readonly value: T; readonly reverted?: undefined }
  | { readonly reverted: Hex; readonly message: () => string }

async function toOutcome<T>(call: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await call() }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const reverted = parseRevert(error)
    if (!reverted) throw toFailure(error)
    // The message is a function, so it is left out of the comparison: nodes word the same revert differently.
    return { reverted: reverted.data, message: () => reverted.message }
  }
}

function unwrapOutcome<T>(outcome: Outcome<T>): T {
  if (outcome.reverted !== undefined) throw new CallReverted(outcome.reverted, outcome.message())
  return outcome.value
}

function toParams({ to, data, from }: ChainCall): object {
  return { ...(from === undefined ? {} : { from }), to, data }
}
