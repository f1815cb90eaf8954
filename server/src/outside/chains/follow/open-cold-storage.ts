import { toLowerHex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { createRailOp } from '../../../money/rails/rail-worker.ts'
import { insert, update, type Write } from '../../../storage/commit/writes.ts'
import type { ChainRow } from '../../../storage/rows/chain.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { readTokenBalance } from '../token-balance.ts'
import { commitAtCursor } from './credit-transfers.ts'
import { buildOpeningRow } from './opening-row.ts'
import { selectColdAbove, selectColdToOpen } from './store.ts'

/**
 * Records the balances of new cold storage addresses at the last followed block, once for each address, and
 * follows the addresses from there. Such a balance is booked only in cold storage, whose statement shows it
 * until an operator books it. Returns the chain, or undefined if another process has moved its cursor.
 */
export async function openColdStorage(worker: ChainWorker, chain: ChainRow): Promise<ChainRow | undefined> {
  const { rail } = worker
  const added = await selectColdToOpen(await createRailOp(worker), rail.name)
  if (added.length === 0) return chain
  const balances = await Promise.all(
    rail.entry.tokens.flatMap(({ currency, address }) =>
      added.map(async (account) => {
        const token = toLowerHex(address)
        const amount = await readTokenBalance(rail.nodes, token, account.address, chain.followed_block)
        return { currency, token, account, amount }
      }),
    ),
  )
  const version = chain.cold_version + 1
  const isUnchanged = await commitAtCursor(worker, chain, async (op, current) => [
    update('chains', current.id, { cold_version: current.cold_version }, { cold_version: version }),
    ...added.map(({ id }) =>
      update('chain_addresses', id, { opened_block: null }, { opened_block: current.followed_block }),
    ),
    ...balances
      .filter(({ amount }) => amount > 0n)
      .map((balance, index) => {
        const row = buildOpeningRow(current, balance, index, 'COLD_IN')
        return insert('chain_movements', { ...row, created_at: op.now, updated_at: op.now })
      }),
  ])
  return isUnchanged ? { ...chain, cold_version: version } : undefined
}

/**
 * Reopens cold storage addresses opened above a block, because their balances there were reorged
 * away.
 */
export async function closeColdStorage(
  op: Op,
  { rail, cold_version }: ChainRow,
  block: bigint,
): Promise<{ readonly change: Partial<ChainRow>; readonly writes: readonly Write[] }> {
  const rows = await selectColdAbove(op, rail, block)
  if (rows.length === 0) return { change: {}, writes: [] }
  return {
    change: { cold_version: cold_version + 1 },
    writes: rows.map(({ id, opened_block }) =>
      update('chain_addresses', id, { opened_block }, { opened_block: null }),
    ),
  }
}
