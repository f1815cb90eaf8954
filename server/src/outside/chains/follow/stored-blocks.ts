import type { Op } from '../../../kernel/operation/app.ts'
import type { ChainBlock } from '../../../kernel/ports/chain-nodes.ts'
import { insert, update, type Write } from '../../../storage/commit/writes.ts'
import type { ChainBlockRow, ChainRow } from '../../../storage/rows/chain.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { chainBlockIdOf } from '../ids.ts'
import { selectBlock, selectBlocks } from './store.ts'

/** The number of stored blocks, each in the slot of its number. */
const PLACES = 512n
const ASKED_AT_ONCE = 16

/** Stores a followed block, in place of an older one. */
export async function storeBlock(op: Op, rail: string, { number, hash }: ChainBlock): Promise<Write> {
  const id = chainBlockIdOf(rail, number % PLACES)
  const before = await selectBlock(op, id)
  if (before)
    return update(
      'chain_blocks',
      id,
      { number: before.number, hash: before.hash },
      { number, hash, created_at: op.now },
    )
  return insert('chain_blocks', {
    id,
    platform_id: op.platform.id,
    rail,
    number,
    hash,
    created_at: op.now,
  })
}

/**
 * The latest stored block that is not after the cursor and still on the chain. Undefined if no stored block
 * is.
 */
export async function latestShared(
  op: Op,
  { rail }: ChainWorker,
  { followed_block }: Pick<ChainRow, 'followed_block'>,
): Promise<{ readonly kept: ChainBlockRow; readonly block: ChainBlock } | undefined> {
  const kept = await selectBlocks(op, rail.name, followed_block, Number(PLACES))
  for (let at = 0; at < kept.length; at += ASKED_AT_ONCE) {
    const some = kept.slice(at, at + ASKED_AT_ONCE)
    const blocks = await Promise.all(some.map(({ number }) => rail.nodes.block(number)))
    for (const [place, one] of some.entries()) {
      const block = blocks[place]
      if (block?.hash === one.hash) return { kept: one, block }
    }
  }
  return undefined
}
