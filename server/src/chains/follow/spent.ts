import type { Write } from '../../db/commit/writes.ts'
import type { ChainAddressRow, ChainMovementRow } from '../../db/schema/chain-tables.ts'
import type { Op } from '../../op/app.ts'

/** What becomes of money that has left an address of ours for no payment of ours. */
export interface Spending {
  /** The record that tells of it in the books; null where there is none. */
  readonly itemId: string | null
  readonly writes: readonly Write[]
}

/**
 * Books money that has left an address for no payment of ours: its key was used elsewhere. Nothing of an account of the ledger moves
 * here, so reconciliation shows it as a difference until somebody books it.
 */
export async function spent(op: Op, movement: ChainMovementRow, from: ChainAddressRow): Promise<Spending> {
  const { rail, transaction_hash: transactionHash, currency, amount } = movement
  // Keys of wallets are their customers' own; all others are in the enclave alone.
  if (from.role !== 'WALLET') op.metrics.chainAlert(rail, 'treasury')
  op.log.error(
    { rail, address: from.address, role: from.role, transactionHash, currency, amount: String(amount) },
    'money has left an address for no payment of this server',
  )
  return { itemId: null, writes: [] }
}

/** Takes that back: its block is gone, and the transfer did not come again. */
export async function unspent(op: Op, movement: ChainMovementRow): Promise<readonly Write[]> {
  const { rail, transaction_hash: transactionHash } = movement
  op.log.error({ rail, transactionHash }, 'what had left an address for no payment is back')
  return []
}
