import type { Hex } from '../../../base/formats/hex.ts'
import type {
  ChainBlock,
  ChainFees,
  ChainLog,
  ChainReceipt,
  LogFilter,
} from '../../../kernel/ports/chain-nodes.ts'
import { NodeFailure, Refusal, toFailure } from './failure.ts'
import type { Node } from './node.ts'
import { isRangeRefusal } from './refusals.ts'
import { formatQuantity, readBlock, readList, readLog, readQuantity, readReceipt } from './values.ts'

/** Queries to one node. They throw NodeFailure and return only validated values. */

const METHOD_NOT_FOUND = -32601

/**
 * Limits for the latest block: how old it may be, how far ahead of this machine's clock, and its lowest
 * acceptable number.
 */
export interface HeadLimits {
  readonly ageSecondsMax: number
  readonly aheadSecondsMax: number
  readonly numberMin: bigint
}

/** Makes a call for which a refusal counts as a failure. */
export async function callOrFail(
  node: Node,
  method: string,
  ...params: readonly unknown[]
): Promise<unknown> {
  try {
    return await node.call(method, ...params)
  } catch (error) {
    throw error instanceof Refusal ? toFailure(error) : error
  }
}

export async function readHeadNumber(node: Node): Promise<bigint> {
  return readQuantity(await callOrFail(node, 'eth_blockNumber'), 'eth_blockNumber')
}

export async function readLatestBlock(node: Node, now: Date, limits: HeadLimits): Promise<ChainBlock> {
  const block = readBlock(await callOrFail(node, 'eth_getBlockByNumber', 'latest', false))
  const oldBlockError = (text: string) => new NodeFailure('OLD_BLOCK', text)
  const ageSeconds = now.getTime() / 1_000 - Number(block.timestamp)
  if (ageSeconds > limits.ageSecondsMax)
    throw oldBlockError(`its latest block is ${Math.floor(ageSeconds)} s old`)
  if (-ageSeconds > limits.aheadSecondsMax)
    throw oldBlockError(`its latest block is ${Math.floor(-ageSeconds)} s in the future`)
  if (block.number < limits.numberMin)
    throw oldBlockError(`its latest block is ${block.number}, far below an earlier one`)
  return block
}

/** Undefined only if the node has not reached the block. */
export async function findBlock(node: Node, number: bigint): Promise<ChainBlock | undefined> {
  const read = (value: unknown) => readBlockWithNumber(value, number)
  const params = [formatQuantity(number), false] as const
  const found = read(await callOrFail(node, 'eth_getBlockByNumber', ...params))
  if (found || (await readHeadNumber(node)) < number) return found
  // The block may have been mined between the two queries.
  const retried = read(await callOrFail(node, 'eth_getBlockByNumber', ...params))
  if (!retried) throw new NodeFailure('BAD_ANSWER', 'A block below the head is missing')
  return retried
}

function readBlockWithNumber(value: unknown, number: bigint): ChainBlock | undefined {
  if (value === null) return undefined
  const block = readBlock(value)
  if (block.number !== number)
    throw new NodeFailure('BAD_ANSWER', 'A block has a different number than requested')
  return block
}

/** An item together with the block that it claims to be in. */
interface InBlock {
  readonly blockNumber: bigint
  readonly blockHash: Hex
}

/** Checks that each named block is the one with its number. Otherwise it is on another branch, or made up. */
async function checkBranch(node: Node, found: readonly InBlock[]): Promise<void> {
  const hashes = new Map<bigint, Hex>()
  const otherBranchError = () =>
    new NodeFailure('OTHER_BRANCH', 'A log or a receipt has a block that is not on the chain')
  for (const { blockNumber, blockHash } of found) {
    const known = hashes.get(blockNumber)
    if (known !== undefined && known !== blockHash) throw otherBranchError()
    hashes.set(blockNumber, blockHash)
  }
  const blocks = [...hashes]
  const responses = await node.callMany(
    blocks.map(([number]) => ({ method: 'eth_getBlockByNumber', params: [formatQuantity(number), false] })),
  )
  for (const [at, [number, hash]] of blocks.entries()) {
    const response = responses[at]
    if (response instanceof Refusal) throw toFailure(response)
    if (readBlockWithNumber(response, number)?.hash !== hash) throw otherBranchError()
  }
}

/** Retries once, because the chain may just have switched branches. */
async function retryOnBranchChange<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof NodeFailure && error.kind === 'OTHER_BRANCH') return read()
    throw error
  }
}

/** The logs of a range, ordered by block and index, in as many requests as the node requires. */
export async function readLogs(node: Node, filter: LogFilter): Promise<readonly ChainLog[]> {
  // For blocks that it does not have yet, a node returns no logs instead of an error.
  if (filter.from > filter.to) return []
  const head = await readHeadNumber(node)
  if (head < filter.to) throw new NodeFailure('BEHIND', `is at block ${head}, before ${filter.to}`)
  const found: ChainLog[] = []
  let span = filter.to - filter.from + 1n
  for (let from = filter.from; from <= filter.to; ) {
    const end = from + span - 1n
    const to = end < filter.to ? end : filter.to
    const logs = await retryOnBranchChange(() => readLogRange(node, { ...filter, from, to }))
    if (logs) {
      for (const log of logs) found.push(log)
      from = to + 1n
    } else {
      span = (to - from + 1n) / 2n
    }
  }
  return found
}

/** Undefined if the node refuses the range as too long; the caller halves it. */
async function readLogRange(node: Node, filter: LogFilter): Promise<readonly ChainLog[] | undefined> {
  const { address, topics, from, to } = filter
  const query = { address, topics, fromBlock: formatQuantity(from), toBlock: formatQuantity(to) }
  let response: unknown
  try {
    response = await node.call('eth_getLogs', query)
  } catch (error) {
    const isTooLong =
      error instanceof Refusal
        ? isRangeRefusal(error)
        : error instanceof NodeFailure && error.kind === 'TOO_LONG'
    if (isTooLong && from < to) return undefined
    throw error instanceof Refusal ? toFailure(error) : error
  }
  const logs = readList(response, 'The logs').map(readLog)
  checkLogs(logs, filter)
  await checkBranch(node, logs)
  return logs.sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex)
}

function checkLogs(logs: readonly ChainLog[], filter: LogFilter): void {
  const seen = new Set<string>()
  for (const log of logs) {
    if (!matchesFilter(log, filter)) throw new NodeFailure('BAD_ANSWER', 'A log was not requested')
    const position = `${log.blockNumber}:${log.logIndex}`
    if (seen.has(position)) throw new NodeFailure('BAD_ANSWER', 'Two logs have the same index in a block')
    seen.add(position)
  }
}

function matchesFilter(log: ChainLog, { address, topics, from, to }: LogFilter): boolean {
  return (
    log.address === address.toLowerCase() &&
    log.blockNumber >= from &&
    log.blockNumber <= to &&
    topics.every((expected, at) => matchesTopic(log.topics[at], expected))
  )
}

function matchesTopic(topic: Hex | undefined, expected: Hex | readonly Hex[] | null): boolean {
  if (topic === undefined) return false
  if (expected === null) return true
  const choices: readonly Hex[] = typeof expected === 'string' ? [expected] : expected
  // An empty list matches any topic, like null.
  return choices.length === 0 || choices.some((choice) => choice.toLowerCase() === topic)
}

/** The receipts of those transactions that are in a block. */
export async function readReceipts(
  node: Node,
  hashes: readonly Hex[],
): Promise<ReadonlyMap<Hex, ChainReceipt>> {
  return retryOnBranchChange(async () => {
    const responses = await node.callMany(
      hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    )
    const receipts = new Map<Hex, ChainReceipt>()
    responses.forEach((response, at) => {
      if (response instanceof Refusal) throw toFailure(response)
      if (response === null) return
      const receipt = readReceipt(response)
      if (receipt.transactionHash !== hashes[at])
        throw new NodeFailure('BAD_ANSWER', 'A receipt is for another transaction')
      receipts.set(receipt.transactionHash, receipt)
    })
    await checkBranch(node, [...receipts.values()])
    return receipts
  })
}

export async function readFees(node: Node, now: Date, limits: HeadLimits): Promise<ChainFees> {
  const { baseFeePerGas } = await readLatestBlock(node, now, limits)
  return { baseFeePerGas, priorityFeePerGas: await readPriorityFee(node, baseFeePerGas) }
}

async function readPriorityFee(node: Node, baseFeePerGas: bigint): Promise<bigint> {
  try {
    return readQuantity(await node.call('eth_maxPriorityFeePerGas'), 'eth_maxPriorityFeePerGas')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code !== METHOD_NOT_FOUND) throw toFailure(error)
  }
  const price = readQuantity(await callOrFail(node, 'eth_gasPrice'), 'eth_gasPrice')
  return price > baseFeePerGas ? price - baseFeePerGas : 0n
}
