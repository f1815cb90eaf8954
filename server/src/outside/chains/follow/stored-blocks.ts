import type { Op } from '../../../kernel/operation/app.ts'
import type { ChainBlock } from '../../../kernel/ports/chain-nodes.ts'
import { insert, update, type Write } from '../../../storage/commit/writes.ts'
import type { ChainBlockRow, ChainRow } from '../../../storage/rows/chain.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { deriveBlockId } from '../ids.ts'
import { selectBlock, selectBlocks } from './store.ts'

/** The number of stored blocks. A block's slot is its number modulo this. */
const SLOTS = 512n
const BLOCKS_AT_ONCE = 16

/** Stores a followed block, overwriting the older block in its slot. */
export async function storeBlock(op: Op, rail: string, { number, hash }: ChainBlock): Promise<Write> {
  const id = deriveBlockId(rail, number % SLOTS)
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

/** Finds the latest stored block that is still on the chain and not after the cursor. */
export async function findCommonBlock(
  op: Op,
  { rail }: ChainWorker,
  { followed_block }: Pick<ChainRow, 'followed_block'>,
): Promise<{ readonly stored: ChainBlockRow; readonly block: ChainBlock } | undefined> {
  const storedBlocks = await selectBlocks(op, rail.name, followed_block, Number(SLOTS))
  for (let at = 0; at < storedBlocks.length; at += BLOCKS_AT_ONCE) {
    const chunk = storedBlocks.slice(at, at + BLOCKS_AT_ONCE)
    const blocks = await Promise.all(chunk.map(({ number }) => rail.nodes.block(number)))
    for (const [index, stored] of chunk.entries()) {
      const block = blocks[index]
      if (block?.hash === stored.hash) return { stored, block }
    }
  }
  return undefined
}
