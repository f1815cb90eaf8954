import type { EvmNetwork } from '@countersign/contract/core/evm'
import type { Op } from '../../../kernel/operation/app.ts'
import {
  bookMovement,
  type MovedMoney,
  recordReturn,
  reverseLost,
} from '../../../operation/treasury/movements.ts'
import type { Write } from '../../../storage/commit/writes.ts'
import { insert } from '../../../storage/commit/writes.ts'
import { requireColumn } from '../../../storage/read/required.ts'
import type { ChainAddressRow, ChainMovementRow } from '../../../storage/rows/chain.ts'
import { selectPayment } from '../payments/store.ts'

/** Transfers between this server's addresses and cold storage, as seen on the chain. */

/** Converts a transfer into the amounts that the ledger books. */
export function toMovedMoney({ rail, currency, amount }: ChainMovementRow, movementId: string): MovedMoney {
  return { movementId, rail, currency, amount }
}

/** Books money that returned from cold storage, with a treasury movement. */
export function bookReturn(
  op: Op,
  network: EvmNetwork,
  row: ChainMovementRow,
  from: ChainAddressRow,
): readonly Write[] {
  const account = { id: requireColumn(from, 'owner_id') }
  const place = { id: op.newId('TreasuryMovement'), account, rail: row.rail, network, address: row.sender }
  const { currency, amount, transaction_hash: transactionHash } = row
  const movement = recordReturn(op, { ...place, currency, amount, transactionHash })
  return [insert('chain_movements', { ...row, item_id: movement.row.id }), ...movement.writes]
}

/** Reverses the effect of a reorged transfer. A movement to cold storage is sent again by the queue. */
export async function reverseColdTransfer(op: Op, row: ChainMovementRow): Promise<readonly Write[]> {
  const itemId = requireColumn(row, 'item_id')
  if (row.kind === 'FROM_COLD') return reverseLost(op, itemId)
  const payment = await selectPayment(op, itemId)
  if (!payment) throw new Error(`Chain payment ${itemId} not found`)
  return bookMovement(op, toMovedMoney(row, payment.payment_id), 'FROM_COLD_STORAGE')
}

/**
 * Logs money that reached cold storage from outside, or left it for an outside address: it was moved with a
 * key that is not on this server. The statement shows it until an operator books it.
 */
export function alertColdTransfer(op: Op, row: ChainMovementRow): void {
  const { rail, kind, sender, recipient, currency, amount, transaction_hash: transactionHash } = row
  if (kind === 'COLD_OUT') op.metrics.chainAlert(rail, 'treasury')
  op.log.warn(
    { rail, sender, recipient, transactionHash, currency, amount: String(amount) },
    kind === 'COLD_OUT' ? 'money has left cold storage' : 'money from outside has reached cold storage',
  )
}
