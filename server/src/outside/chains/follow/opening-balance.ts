import type { Hex } from '../../../base/formats/hex.ts'
import { lowerHex } from '../../../base/formats/hex.ts'
import { opOf } from '../../../money/rails/rail-worker.ts'
import type { ChainAddressRow, ChainMovementRow, ChainRow } from '../../../storage/rows/chain.ts'
import { CHAIN_MOVEMENT_INITIAL } from '../../../storage/rows/states.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { chainMovementIdOf } from '../ids.ts'
import { tokenBalance } from '../token-balance.ts'
import { depositOf, NOBODY, whileAt } from './credit-transfers.ts'
import { selectAddresses, selectBlocks } from './store.ts'
import { storeBlock } from './stored-blocks.ts'

const OWN_MAX = 100

/**
 * Books the opening balances of the treasury and the gas accounts in the block from which on the chain is
 * followed, once, so that the ledger equals the chain from the first day on. Returns the chain; undefined if
 * another process has moved it on.
 */
export async function bookOpening(worker: ChainWorker, chain: ChainRow): Promise<ChainRow | undefined> {
  const { rail } = worker
  const op = await opOf(worker)
  const kept = await selectBlocks(op, rail.name, chain.followed_block, 1)
  if (kept.length > 0) return chain
  const block = await rail.nodes.block(chain.followed_block)
  // If the block left the chain by now, nothing was followed yet, so the current one is as good.
  if (!block) return undefined
  const own = (await selectAddresses(op, rail.name, OWN_MAX)).filter(({ owner_id }) => owner_id === null)
  const held = await Promise.all(
    rail.entry.tokens.flatMap(({ currency, address }) =>
      own.map(async (of) => {
        const token = lowerHex(address)
        // The block may be from before the token, as on a new chain.
        const amount = await tokenBalance(rail.nodes, token, of.address, block.number)
        return { currency, token, of, amount }
      }),
    ),
  )
  const there = held.filter(({ amount }) => amount > 0n)
  const isStill = await whileAt(worker, chain, async (op, now) => [
    await storeBlock(op, rail.name, block),
    ...(
      await Promise.all(
        there.map((one, index) => {
          const row = { ...openingRow(now, one, index), created_at: op.now, updated_at: op.now }
          return depositOf(op, row, 1, one.of)
        }),
      )
    ).flat(),
  ])
  return isStill ? chain : undefined
}

/** A transfer without a log: an earlier balance of an address. */
function openingRow(
  chain: ChainRow,
  held: {
    readonly currency: string
    readonly token: Hex
    readonly of: ChainAddressRow
    readonly amount: bigint
  },
  index: number,
): Omit<ChainMovementRow, 'created_at' | 'updated_at'> {
  const { rail, followed_block, followed_hash, followed_time } = chain
  const logIndex = -1 - index
  return {
    id: chainMovementIdOf(rail, followed_hash, logIndex, 'IN', 1),
    platform_id: chain.platform_id,
    rail,
    currency: held.currency,
    token: held.token,
    transaction_hash: followed_hash,
    log_index: logIndex,
    block_number: followed_block,
    block_hash: followed_hash,
    happened_at: followed_time,
    sender: NOBODY,
    recipient: held.of.address,
    amount: held.amount,
    kind: 'DEPOSIT',
    item_id: null,
    state: CHAIN_MOVEMENT_INITIAL,
    booked_at: followed_time,
    gone_at: null,
  }
}
