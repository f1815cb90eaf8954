import type { Hex } from '../../../base/formats/hex.ts'
import type {
  ChainBlock,
  ChainFees,
  ChainLog,
  ChainReceipt,
  LogFilter,
} from '../../../kernel/ports/chain-nodes.ts'
import { failureOf, NodeFailure, Refusal } from './failure.ts'
import type { Node } from './node.ts'
import { isRangeRefusal } from './refusals.ts'
import { quantityText, readBlock, readList, readLog, readQuantity, readReceipt } from './values.ts'

/** Queries to one node. They throw NodeFailure and return only validated values. */

const METHOD_NOT_FOUND = -32601

/**
 * Limits for the latest block: its age, how far it may be ahead of this machine's clock, and how far below an
 * earlier head.
 */
export interface HeadLimits {
  readonly ageSecondsMax: number
  readonly aheadSecondsMax: number
  readonly numberMin: bigint
}

/** Makes a call for which a refusal counts as a failure. */
export async function ask(node: Node, method: string, ...params: readonly unknown[]): Promise<unknown> {
  try {
    return await node.ask(method, ...params)
  } catch (error) {
    throw error instanceof Refusal ? failureOf(error) : error
  }
}

export async function headNumber(node: Node): Promise<bigint> {
  return readQuantity(await ask(node, 'eth_blockNumber'), 'eth_blockNumber')
}

export async function latestBlock(node: Node, now: Date, limits: HeadLimits): Promise<ChainBlock> {
  const block = readBlock(await ask(node, 'eth_getBlockByNumber', 'latest', false))
  const oldBlock = (text: string) => new NodeFailure('OLD_BLOCK', text)
  const ageSeconds = now.getTime() / 1_000 - Number(block.timestamp)
  if (ageSeconds > limits.ageSecondsMax) throw oldBlock(`its latest block is ${Math.floor(ageSeconds)} s old`)
  if (-ageSeconds > limits.aheadSecondsMax)
    throw oldBlock(`its latest block is ${Math.floor(-ageSeconds)} s in the future`)
  if (block.number < limits.numberMin)
    throw oldBlock(`its latest block is ${block.number}, far below an earlier one`)
  return block
}

/** Undefined only if the node has not reached the block. */
export async function blockOf(node: Node, number: bigint): Promise<ChainBlock | undefined> {
  const read = (value: unknown) => blockWithNumber(value, number)
  const params = [quantityText(number), false] as const
  const found = read(await ask(node, 'eth_getBlockByNumber', ...params))
  if (found || (await headNumber(node)) < number) return found
  // The block may have been mined between the two queries.
  const retried = read(await ask(node, 'eth_getBlockByNumber', ...params))
  if (!retried) throw new NodeFailure('BAD_ANSWER', 'A block below the head is missing')
  return retried
}

function blockWithNumber(value: unknown, number: bigint): ChainBlock | undefined {
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
  const otherBranch = () =>
    new NodeFailure('OTHER_BRANCH', 'A log or a receipt has a block that is not on the chain')
  for (const { blockNumber, blockHash } of found) {
    const known = hashes.get(blockNumber)
    if (known !== undefined && known !== blockHash) throw otherBranch()
    hashes.set(blockNumber, blockHash)
  }
  const blocks = [...hashes]
  const answers = await node.askMany(
    blocks.map(([number]) => ({ method: 'eth_getBlockByNumber', params: [quantityText(number), false] })),
  )
  for (const [at, [number, hash]] of blocks.entries()) {
    const answer = answers[at]
    if (answer instanceof Refusal) throw failureOf(answer)
    if (blockWithNumber(answer, number)?.hash !== hash) throw otherBranch()
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
export async function logsOf(node: Node, filter: LogFilter): Promise<readonly ChainLog[]> {
  // A node answers for blocks that it does not have yet as if they had no logs.
  if (filter.from > filter.to) return []
  const head = await headNumber(node)
  if (head < filter.to) throw new NodeFailure('BEHIND', `is at block ${head}, before ${filter.to}`)
  const found: ChainLog[] = []
  let span = filter.to - filter.from + 1n
  for (let from = filter.from; from <= filter.to; ) {
    const end = from + span - 1n
    const to = end < filter.to ? end : filter.to
    const logs = await retryOnBranchChange(() => logsAtOnce(node, { ...filter, from, to }))
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
async function logsAtOnce(node: Node, filter: LogFilter): Promise<readonly ChainLog[] | undefined> {
  const { address, topics, from, to } = filter
  const query = { address, topics, fromBlock: quantityText(from), toBlock: quantityText(to) }
  let answer: unknown
  try {
    answer = await node.ask('eth_getLogs', query)
  } catch (error) {
    const isTooLong =
      error instanceof Refusal
        ? isRangeRefusal(error)
        : error instanceof NodeFailure && error.kind === 'TOO_LONG'
    if (isTooLong && from < to) return undefined
    throw error instanceof Refusal ? failureOf(error) : error
  }
  const logs = readList(answer, 'The logs').map(readLog)
  checkLogs(logs, filter)
  await checkBranch(node, logs)
  return logs.sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex)
}

function checkLogs(logs: readonly ChainLog[], filter: LogFilter): void {
  const seen = new Set<string>()
  for (const log of logs) {
    if (!matchesFilter(log, filter)) throw new NodeFailure('BAD_ANSWER', 'A log was not requested')
    const place = `${log.blockNumber}:${log.logIndex}`
    if (seen.has(place)) throw new NodeFailure('BAD_ANSWER', 'Two logs have the same index in a block')
    seen.add(place)
  }
}

function matchesFilter(log: ChainLog, { address, topics, from, to }: LogFilter): boolean {
  return (
    log.address === address.toLowerCase() &&
    log.blockNumber >= from &&
    log.blockNumber <= to &&
    topics.every((wanted, at) => matchesTopic(log.topics[at], wanted))
  )
}

function matchesTopic(topic: Hex | undefined, wanted: Hex | readonly Hex[] | null): boolean {
  if (topic === undefined) return false
  if (wanted === null) return true
  const choices: readonly Hex[] = typeof wanted === 'string' ? [wanted] : wanted
  // An empty list matches any topic, like null.
  return choices.length === 0 || choices.some((choice) => choice.toLowerCase() === topic)
}

/** The receipts of those transactions that are in a block. */
export async function receiptsOf(
  node: Node,
  hashes: readonly Hex[],
): Promise<ReadonlyMap<Hex, ChainReceipt>> {
  return retryOnBranchChange(async () => {
    const answers = await node.askMany(
      hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    )
    const receipts = new Map<Hex, ChainReceipt>()
    answers.forEach((answer, at) => {
      if (answer instanceof Refusal) throw failureOf(answer)
      if (answer === null) return
      const receipt = readReceipt(answer)
      if (receipt.transactionHash !== hashes[at])
        throw new NodeFailure('BAD_ANSWER', 'A receipt is for another transaction')
      receipts.set(receipt.transactionHash, receipt)
    })
    await checkBranch(node, [...receipts.values()])
    return receipts
  })
}

export async function feesOf(node: Node, now: Date, limits: HeadLimits): Promise<ChainFees> {
  const { baseFeePerGas } = await latestBlock(node, now, limits)
  return { baseFeePerGas, priorityFeePerGas: await priorityFee(node, baseFeePerGas) }
}

async function priorityFee(node: Node, baseFeePerGas: bigint): Promise<bigint> {
  try {
    return readQuantity(await node.ask('eth_maxPriorityFeePerGas'), 'eth_maxPriorityFeePerGas')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code !== METHOD_NOT_FOUND) throw failureOf(error)
  }
  const price = readQuantity(await ask(node, 'eth_gasPrice'), 'eth_gasPrice')
  return price > baseFeePerGas ? price - baseFeePerGas : 0n
}
