import { isObject } from '@countersign/contract/core/decode'
import type { Hex } from '../../../base/formats/hex.ts'
import { toLowerHex } from '../../../base/formats/hex.ts'
import type { ChainBlock, ChainLog, ChainReceipt } from '../../../kernel/ports/chain-nodes.ts'
import { NodeFailure } from './failure.ts'

const HASH_BYTES = 32
const ADDRESS_BYTES = 20
const TOPICS_MAX = 4
/** Leading zeros are accepted, because some nodes write them. */
const QUANTITY = /^0x[0-9a-f]{1,64}$/i
const NO_DIGIT = /[^0-9a-f]/i

/** Formats a number as the protocol's hex quantity. */
export function formatQuantity(value: bigint): Hex {
  return `0x${value.toString(16)}`
}

/**
 * All readers here throw NodeFailure (BAD_ANSWER). The message names the invalid part but never contains its
 * value.
 */
export function readQuantity(value: unknown, label: string): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value))
    throw createBadResponseError(`${label} is not a number in hex digits`)
  return BigInt(value)
}

/** Reads bytes as lowercase hex. */
export function readData(value: unknown, label: string, bytes?: number): Hex {
  if (typeof value !== 'string' || !isData(value))
    throw createBadResponseError(`${label} is not bytes in hex digits`)
  if (bytes !== undefined && value.length !== 2 + 2 * bytes)
    throw createBadResponseError(`${label} does not have ${bytes} bytes`)
  return toLowerHex(value)
}

/**
 * Searches for an invalid character instead of matching the whole string, which may have millions of digits.
 */
export function isData(text: string): boolean {
  return text.length % 2 === 0 && text.startsWith('0x') && !NO_DIGIT.test(text.slice(2))
}

export function readHash(value: unknown, label: string): Hex {
  return readData(value, label, HASH_BYTES)
}

export function readBlock(value: unknown): ChainBlock {
  const block = readObject(value, 'A block')
  return {
    number: readQuantity(block.number, "A block's number"),
    hash: readHash(block.hash, "A block's hash"),
    parentHash: readHash(block.parentHash, "A block's parentHash"),
    timestamp: readQuantity(block.timestamp, "A block's timestamp"),
    baseFeePerGas:
      block.baseFeePerGas === undefined || block.baseFeePerGas === null
        ? 0n
        : readQuantity(block.baseFeePerGas, "A block's baseFeePerGas"),
  }
}

/** Rejects a log without a block, and one that a node has withdrawn. */
export function readLog(value: unknown): ChainLog {
  const log = readObject(value, 'A log')
  if (log.removed !== undefined && log.removed !== null && log.removed !== false)
    throw createBadResponseError('A log is marked as removed')
  const topics = readList(log.topics, "A log's topics")
  if (topics.length > TOPICS_MAX) throw createBadResponseError(`A log has more than ${TOPICS_MAX} topics`)
  const logIndex = readQuantity(log.logIndex, "A log's logIndex")
  if (logIndex > 0x7fff_ffffn) throw createBadResponseError("A log's logIndex is too high")
  return {
    address: readData(log.address, "A log's address", ADDRESS_BYTES),
    topics: topics.map((topic) => readHash(topic, "A log's topic")),
    data: readData(log.data, "A log's data"),
    blockNumber: readQuantity(log.blockNumber, "A log's blockNumber"),
    blockHash: readHash(log.blockHash, "A log's blockHash"),
    transactionHash: readHash(log.transactionHash, "A log's transactionHash"),
    logIndex: Number(logIndex),
  }
}

/** Rejects logs whose transaction or block differs from the receipt's. */
export function readReceipt(value: unknown): ChainReceipt {
  const receipt = readObject(value, 'A receipt')
  const transactionHash = readHash(receipt.transactionHash, "A receipt's transactionHash")
  const blockHash = readHash(receipt.blockHash, "A receipt's blockHash")
  const blockNumber = readQuantity(receipt.blockNumber, "A receipt's blockNumber")
  const status = readQuantity(receipt.status, "A receipt's status")
  if (status > 1n) throw createBadResponseError("A receipt's status is neither 0 nor 1")
  const logs = readList(receipt.logs, "A receipt's logs").map(readLog)
  for (const log of logs)
    if (
      log.transactionHash !== transactionHash ||
      log.blockHash !== blockHash ||
      log.blockNumber !== blockNumber
    )
      throw createBadResponseError('A receipt has a log of another transaction or block')
  return {
    transactionHash,
    blockNumber,
    blockHash,
    status: status === 1n ? 'success' : 'reverted',
    gasUsed: readQuantity(receipt.gasUsed, "A receipt's gasUsed"),
    effectiveGasPrice: readQuantity(receipt.effectiveGasPrice, "A receipt's effectiveGasPrice"),
    from: readData(receipt.from, "A receipt's from", ADDRESS_BYTES),
    to:
      receipt.to === null || receipt.to === undefined
        ? null
        : readData(receipt.to, "A receipt's to", ADDRESS_BYTES),
    logs,
  }
}

export function readList(value: unknown, label: string): readonly unknown[] {
  if (!Array.isArray(value)) throw createBadResponseError(`${label} is not a list`)
  return value
}

function readObject(value: unknown, label: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw createBadResponseError(`${label} is not an object`)
  return value
}

function createBadResponseError(message: string): NodeFailure {
  return new NodeFailure('BAD_ANSWER', message)
}
