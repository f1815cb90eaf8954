import type { Hex } from '../../../base/formats/hex.ts'
import type { ChainBlock } from '../../../kernel/ports/chain-nodes.ts'
import { createRailOp } from '../../../money/rails/rail-worker.ts'
import type { ChainRow } from '../../../storage/rows/chain.ts'
import type { ChainWorker, EvmRail } from '../evm-rail.ts'
import { findChain } from '../records.ts'
import { bookBlockRange } from './credit-transfers.ts'
import { openColdStorage } from './open-cold-storage.ts'
import { bookOpeningBalances } from './opening-balance.ts'
import { chooseBlocksPerRequest, listNamedAddresses, type RangeRead, readRange } from './read-range.ts'
import { rewindAfterReorg, settleUnsure } from './reorganisations.ts'

/** Maximum ranges per run. */
const RANGES_MAX = 32
/** Number of ranges read concurrently. They are booked in order. */
const READ_AHEAD = 4

/** The head up to which all work is complete, by rail. */
const finishedHeads = new WeakMap<EvmRail, Hex>()

/**
 * Follows the chain up to the last sufficiently deep block and books our transfers. Reads the head before the
 * addresses, because money for an address created later can only arrive above that head.
 */
export async function follow(worker: ChainWorker): Promise<void> {
  const { rail } = worker
  const head = await rail.nodes.head()
  if (finishedHeads.get(rail) === head.hash) return
  const found = await findChain(await createRailOp(worker), rail.name)
  // A lagging node knows nothing beyond its own head.
  if (!found || head.number < found.followed_block) return
  const openedChain = await bookOpeningBalances(worker, found)
  const rewound = openedChain && (await rewindAfterReorg(worker, openedChain))
  const chain = rewound && (await openColdStorage(worker, rewound))
  if (!chain) return
  const isComplete = await followBlocks(worker, chain, head)
  if (isComplete && (await settleUnsure(worker))) finishedHeads.set(rail, head.hash)
}

/** Books the blocks up to the confirmed depth below the head. Returns true if none are left. */
async function followBlocks(worker: ChainWorker, chain: ChainRow, head: ChainBlock): Promise<boolean> {
  const { rail } = worker
  const last = head.number - BigInt(rail.entry.confirmations) + 1n
  if (last <= chain.followed_block) return true
  const named = await listNamedAddresses(await createRailOp(worker), rail.name)
  const span = chooseBlocksPerRequest(worker, named)
  const ranges = splitIntoRanges(chain.followed_block + 1n, last, span)
  const reads: Promise<RangeRead>[] = []
  const remaining = [...ranges]
  const readAhead = () => {
    for (const range of remaining.splice(0, READ_AHEAD - reads.length))
      reads.push(handleRejection(readRange(worker, named, ...range)))
  }
  let cursor = chain
  readAhead()
  for (let first = reads.shift(); first; first = reads.shift()) {
    const updated = await bookBlockRange(worker, cursor, await first)
    if (!updated) return false
    cursor = updated
    rail.followedBlock = updated.followed_block
    readAhead()
  }
  return cursor.followed_block >= last
}

/** The next ranges, as many as one run reads. */
function splitIntoRanges(from: bigint, to: bigint, span: bigint): [bigint, bigint][] {
  const ranges: [bigint, bigint][] = []
  for (let start = from; start <= to && ranges.length < RANGES_MAX; start += span) {
    const end = start + span - 1n
    ranges.push([start, end < to ? end : to])
  }
  return ranges
}

/** Marks the promise's rejection as handled; it still rejects when awaited. */
function handleRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
