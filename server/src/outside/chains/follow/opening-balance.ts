import { toLowerHex } from '../../../base/formats/hex.ts'
import { createRailOp } from '../../../money/rails/rail-worker.ts'
import type { ChainRow } from '../../../storage/rows/chain.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { readTokenBalance } from '../token-balance.ts'
import { commitAtCursor, creditDeposit } from './credit-transfers.ts'
import { buildOpeningRow } from './opening-row.ts'
import { selectAddresses, selectBlocks } from './store.ts'
import { storeBlock } from './stored-blocks.ts'

const OWN_ACCOUNTS_MAX = 100

/**
 * Books the opening balances of the treasury and the gas accounts, once, at the block from which the chain is
 * followed, so that the ledger equals the chain from the first day. Returns the chain, or undefined if
 * another process has moved its cursor.
 */
export async function bookOpeningBalances(
  worker: ChainWorker,
  chain: ChainRow,
): Promise<ChainRow | undefined> {
  const { rail } = worker
  const op = await createRailOp(worker)
  const storedBlocks = await selectBlocks(op, rail.name, chain.followed_block, 1)
  if (storedBlocks.length > 0) return chain
  const block = await rail.nodes.block(chain.followed_block)
  // If the block was reorged away, nothing has been followed yet, so the current block with that number will
  // do.
  if (!block) return undefined
  const ownAccounts = (await selectAddresses(op, rail.name, OWN_ACCOUNTS_MAX)).filter(
    ({ owner_id }) => owner_id === null,
  )
  const balances = await Promise.all(
    rail.entry.tokens.flatMap(({ currency, address }) =>
      ownAccounts.map(async (account) => {
        const token = toLowerHex(address)
        // The block may be older than the token contract, as on a new chain.
        const amount = await readTokenBalance(rail.nodes, token, account.address, block.number)
        return { currency, token, account, amount }
      }),
    ),
  )
  const nonZero = balances.filter(({ amount }) => amount > 0n)
  const isUnchanged = await commitAtCursor(worker, chain, async (op, current) => [
    await storeBlock(op, rail.name, block),
    ...(
      await Promise.all(
        nonZero.map((balance, index) => {
          const row = {
            ...buildOpeningRow(current, balance, index, 'DEPOSIT'),
            created_at: op.now,
            updated_at: op.now,
          }
          return creditDeposit(op, row, 1, balance.account)
        }),
      )
    ).flat(),
  ])
  return isUnchanged ? chain : undefined
}
