import type { Hex } from '../../../base/formats/hex.ts'
import type { ChainAddressRow, ChainMovementRow, ChainRow } from '../../../storage/rows/chain.ts'
import { CHAIN_MOVEMENT_INITIAL } from '../../../storage/rows/states.ts'
import { deriveMovementId } from '../ids.ts'
import { ZERO_ADDRESS } from './credit-transfers.ts'

/** A movement without a log, for the balance that an address had before it was followed. */
export function buildOpeningRow(
  chain: ChainRow,
  balance: {
    readonly currency: string
    readonly token: Hex
    readonly account: ChainAddressRow
    readonly amount: bigint
  },
  index: number,
  kind: 'DEPOSIT' | 'COLD_IN',
): Omit<ChainMovementRow, 'created_at' | 'updated_at'> {
  const { rail, followed_block, followed_hash, followed_time, latest_time, cold_version } = chain
  const logIndex = -1 - index
  return {
    // Cold storage may be opened again at the same block, so the version is part of the id.
    id: deriveMovementId(rail, followed_hash, logIndex, 'IN', 1 + cold_version),
    platform_id: chain.platform_id,
    rail,
    currency: balance.currency,
    token: balance.token,
    transaction_hash: followed_hash,
    log_index: logIndex,
    block_number: followed_block,
    block_hash: followed_hash,
    happened_at: followed_time,
    sender: ZERO_ADDRESS,
    recipient: balance.account.address,
    amount: balance.amount,
    kind,
    item_id: null,
    state: CHAIN_MOVEMENT_INITIAL,
    booked_at: kind === 'DEPOSIT' ? followed_time : latest_time,
    gone_at: null,
  }
}
