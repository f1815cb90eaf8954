import type { ChainRow } from '../../db/schema/chain-tables.ts'
import type { Hex } from '../../formats/hex.ts'
import type { ChainBlock } from '../../ports/chain-nodes.ts'
import { opOf } from '../../rails/desk.ts'
import type { ChainDesk, EvmRail } from '../rail.ts'
import { findChain } from '../records.ts'
import { bookRange } from './book.ts'
import { bookOpening } from './opening.ts'
import { blocksPerRequest, namedAddresses, type RangeRead, readRange } from './ranges.ts'
import { goBack, settleUnsure } from './reorganisations.ts'

/** Of one run of the step. */
const RANGES_MAX = 32
/** Ranges that are read at the same time. They are booked in their order. */
const READ_AHEAD = 4

/** The head up to which all is done, by rail. */
const done = new WeakMap<EvmRail, Hex>()

/**
 * Follows the chain up to the last block that is as deep as configured, and books what it has moved for us. The head is read before
 * the addresses are: money for an address that was made later can only be above that head.
 */
export async function follow(desk: ChainDesk): Promise<void> {
  const { rail } = desk
  const head = await rail.nodes.head()
  if (done.get(rail) === head.hash) return
  const found = await findChain(await opOf(desk), rail.name)
  // A node that is behind says nothing of what comes after its head.
  if (!found || head.number < found.followed_block) return
  const begun = await bookOpening(desk, found)
  const chain = begun && (await goBack(desk, begun))
  if (!chain) return
  const isComplete = await followTo(desk, chain, head)
  if (isComplete && (await settleUnsure(desk))) done.set(rail, head.hash)
}

/** Returns whether nothing is left to do. */
async function followTo(desk: ChainDesk, chain: ChainRow, head: ChainBlock): Promise<boolean> {
  const { rail } = desk
  const last = head.number - BigInt(rail.entry.confirmations) + 1n
  if (last <= chain.followed_block) return true
  const named = await namedAddresses(await opOf(desk), rail.name)
  const span = blocksPerRequest(desk, named)
  const ranges = rangesOf(chain.followed_block + 1n, last, span)
  const underWay: Promise<RangeRead>[] = []
  let cursor = chain
  let next = 0
  while (next < ranges.length || underWay.length > 0) {
    while (underWay.length < READ_AHEAD && next < ranges.length)
      underWay.push(heard(readRange(desk, named, ...ranges[next++]!)))
    const moved = await bookRange(desk, cursor, await underWay.shift()!)
    if (!moved) return false
    cursor = moved
    rail.followedBlock = moved.followed_block
  }
  return cursor.followed_block >= last
}

/** The next ranges, as many as one run reads. */
function rangesOf(from: bigint, to: bigint, span: bigint): [bigint, bigint][] {
  const ranges: [bigint, bigint][] = []
  for (let begin = from; begin <= to && ranges.length < RANGES_MAX; begin += span) {
    const end = begin + span - 1n
    ranges.push([begin, end < to ? end : to])
  }
  return ranges
}

/** The same, whose failure somebody has heard of: it is thrown where it is waited for, if it ever is. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
