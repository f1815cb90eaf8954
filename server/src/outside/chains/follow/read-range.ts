import type { Hex } from '../../../base/formats/hex.ts'
import { toLowerHex } from '../../../base/formats/hex.ts'
import { requireValue } from '../../../base/formats/require-value.ts'
import { INT64_MAX } from '../../../base/json/int64.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { type ChainBlock, type ChainLog, NodeError, toBlockTime } from '../../../kernel/ports/chain-nodes.ts'
import { createRailOp } from '../../../money/rails/rail-worker.ts'
import type { ChainAddressRow } from '../../../storage/rows/chain.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { TRANSFER_TOPIC, toTopic, USED_TOPIC } from '../formats/calls.ts'
import { parseTransfer, parseUsedAuthorization } from '../formats/transfers.ts'
import { selectAddresses, selectAddressesAmong } from './store.ts'

/**
 * The maximum number of addresses to filter logs by. With more, all transfers of a token are read and
 * filtered here.
 */
const FILTERED_ADDRESSES_MAX = 2_000
const ADDRESSES_PER_FILTER = 500
/** Blocks per request if the logs are not filtered by address. */
const UNFILTERED_BLOCKS_MAX = 50n
const ADDRESSES_PER_LOOKUP = 1_000
const BLOCKS_AT_ONCE = 8
const BLOCKS_PER_REQUEST = 1_000

/** A transfer of one of our tokens, from or to one of our addresses. */
export interface SeenTransfer {
  readonly currency: string
  readonly token: Hex
  readonly transactionHash: Hex
  readonly logIndex: number
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly happenedAt: Date
  readonly sender: Hex
  readonly recipient: Hex
  readonly amount: bigint
}

/** A used authorization that one of our addresses has signed. */
export interface UsedAuthorization {
  readonly transactionHash: Hex
  readonly token: Hex
  readonly authorizer: Hex
  readonly nonce: Hex
}

/** The last block of a range, with the transfers and used authorizations in it, ordered by block and log. */
export interface RangeRead {
  readonly to: ChainBlock
  readonly seen: readonly SeenTransfer[]
  readonly used: readonly UsedAuthorization[]
  /** The logs of each transaction that moved our money, by transaction hash. */
  readonly logs: ReadonlyMap<Hex, readonly ChainLog[]>
  /** Includes every one of our addresses that takes part in a transfer, and possibly others. */
  readonly ours: ReadonlyMap<Hex, ChainAddressRow>
}

/** The addresses to filter by, or undefined if there are too many. */
export type AddressFilter = ReadonlyMap<Hex, ChainAddressRow> | undefined

export async function listNamedAddresses(op: Op, rail: string): Promise<AddressFilter> {
  const rows = await selectAddresses(op, rail, FILTERED_ADDRESSES_MAX + 1)
  return rows.length > FILTERED_ADDRESSES_MAX ? undefined : new Map(rows.map((row) => [row.address, row]))
}

export function chooseBlocksPerRequest({ rail }: ChainWorker, named: AddressFilter): bigint {
  const { blocksPerRequest: configured = BLOCKS_PER_REQUEST } = rail.entry
  return named === undefined && BigInt(configured) > UNFILTERED_BLOCKS_MAX
    ? UNFILTERED_BLOCKS_MAX
    : BigInt(configured)
}

/**
 * Reads a range of blocks that all belong to the branch of the last one. Throws NodeError, also if the chain
 * changes during the read.
 */
export async function readRange(
  worker: ChainWorker,
  named: AddressFilter,
  from: bigint,
  to: bigint,
): Promise<RangeRead> {
  const { nodes, entry } = worker.rail
  const before = await readBlockAt(worker, to)
  const found = await Promise.all(
    entry.tokens.map(async ({ currency, address }) => {
      const token = toLowerHex(address)
      return { currency, token, logs: await readLogs(worker, token, named, from, to) }
    }),
  )
  const tokenLogs = found.flatMap(({ currency, token, logs }) =>
    logs.map((log) => ({ currency, token, log })),
  )
  const ours =
    named ??
    (await findParticipants(
      worker,
      found.flatMap(({ logs }) => logs),
    ))
  const transfers = tokenLogs.flatMap((item) => readTransfer(worker, ours, item))
  const times = await readTimes(worker, transfers)
  if ((await nodes.block(to))?.hash !== before.hash) throw createChainChangedError(to)
  return {
    to: before,
    ours,
    used: tokenLogs.flatMap(({ log }) => findUsedAuthorization(ours, log)),
    logs: groupLogs(
      new Set(transfers.map(({ transactionHash }) => transactionHash)),
      tokenLogs.map(({ log }) => log),
    ),
    seen: transfers
      .map((transfer) => ({
        ...transfer,
        happenedAt: requireValue(times.get(transfer.blockNumber), 'time of a block'),
      }))
      .sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex),
  }
}

async function readBlockAt({ rail }: ChainWorker, number: bigint): Promise<ChainBlock> {
  const block = await rail.nodes.block(number)
  if (!block) throw new NodeError('BEHIND', `No node has block ${number} yet`)
  return block
}

function createChainChangedError(number: bigint): NodeError {
  return new NodeError('NO_ANSWER', `The chain changed at block ${number} while it was being read`)
}

/** The logs of a token that may concern us, without duplicates. */
async function readLogs(
  { rail }: ChainWorker,
  address: Hex,
  named: AddressFilter,
  from: bigint,
  to: bigint,
): Promise<readonly ChainLog[]> {
  const events = [TRANSFER_TOPIC, USED_TOPIC]
  const read = (topics: readonly (Hex | readonly Hex[] | null)[]) =>
    rail.nodes.logs({ address, topics, from, to })
  if (!named) return read([events])
  const topics = [...named.keys()].map(toTopic)
  const logs = (
    await Promise.all(
      splitIntoChunks(topics, ADDRESSES_PER_FILTER).flatMap((chunk) => [
        read([events, chunk]),
        read([TRANSFER_TOPIC, null, chunk]),
      ]),
    )
  ).flat()
  return [...new Map(logs.map((log) => [`${log.blockNumber} ${log.logIndex}`, log])).values()]
}

/** Our addresses that occur in these logs. */
async function findParticipants(
  worker: ChainWorker,
  logs: readonly ChainLog[],
): Promise<ReadonlyMap<Hex, ChainAddressRow>> {
  const op = await createRailOp(worker)
  const mentioned = new Set<Hex>()
  for (const log of logs) {
    const transfer = parseTransfer(log)
    if (transfer) mentioned.add(transfer.sender).add(transfer.recipient)
  }
  const ours = new Map<Hex, ChainAddressRow>()
  for (const chunk of splitIntoChunks([...mentioned], ADDRESSES_PER_LOOKUP))
    for (const row of await selectAddressesAmong(op, worker.rail.name, chunk)) ours.set(row.address, row)
  return ours
}

/**
 * Reads a transfer from a log. Ignores transfers of zero and transfers that do not concern our addresses. An
 * amount too large for the ledger raises an alert for the operator.
 */
function readTransfer(
  { app, rail }: ChainWorker,
  ours: ReadonlyMap<Hex, ChainAddressRow>,
  { currency, token, log }: { readonly currency: string; readonly token: Hex; readonly log: ChainLog },
): Omit<SeenTransfer, 'happenedAt'>[] {
  const transfer = parseTransfer(log)
  if (!transfer || transfer.amount === 0n) return []
  if (!ours.has(transfer.sender) && !ours.has(transfer.recipient)) return []
  const { transactionHash, logIndex, blockNumber, blockHash } = log
  if (transfer.amount > INT64_MAX) {
    app.metrics.chainAlert(rail.name, 'work')
    app.log.error({ rail: rail.name, transactionHash, logIndex }, 'transfer exceeds the range of amounts')
    return []
  }
  return [{ currency, token, transactionHash, logIndex, blockNumber, blockHash, ...transfer }]
}

function findUsedAuthorization(ours: ReadonlyMap<Hex, ChainAddressRow>, log: ChainLog): UsedAuthorization[] {
  const used = parseUsedAuthorization(log)
  if (!used || !ours.has(used.authorizer)) return []
  const { authorizer, nonce } = used
  return [{ transactionHash: log.transactionHash, token: log.address, authorizer, nonce }]
}

function groupLogs(
  hashes: ReadonlySet<Hex>,
  logs: readonly ChainLog[],
): ReadonlyMap<Hex, readonly ChainLog[]> {
  const found = new Map<Hex, ChainLog[]>([...hashes].map((hash) => [hash, []]))
  for (const log of logs) found.get(log.transactionHash)?.push(log)
  return found
}

/** Reads the times of the blocks with transfers, and checks that each block is the one named by the log. */
async function readTimes(
  worker: ChainWorker,
  transfers: readonly { readonly blockNumber: bigint; readonly blockHash: Hex }[],
): Promise<ReadonlyMap<bigint, Date>> {
  const hashes = new Map(transfers.map(({ blockNumber, blockHash }) => [blockNumber, blockHash]))
  const times = new Map<bigint, Date>()
  for (const chunk of splitIntoChunks([...hashes], BLOCKS_AT_ONCE))
    await Promise.all(
      chunk.map(async ([number, hash]) => {
        const block = await readBlockAt(worker, number)
        if (block.hash !== hash) throw createChainChangedError(number)
        times.set(number, toBlockTime(block))
      }),
    )
  return times
}

function splitIntoChunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
