import type { Hex } from '../../base/formats/hex.ts'
import type { RecordsFrom } from '../../kernel/ports/rail-chain.ts'
import type { ChainAddressRow, ChainRole } from '../../storage/rows/chain.ts'
import { chainAddressIdOf } from './ids.ts'

/** Builds the record of one of our addresses, keyed by its purpose. */
export function addressRow(
  rail: string,
  { now, platform }: RecordsFrom,
  one: {
    readonly of: string
    readonly address: Hex
    readonly role: ChainRole
    readonly path: string
    readonly ownerId: string | null
  },
): ChainAddressRow {
  return {
    id: chainAddressIdOf(rail, one.of),
    platform_id: platform.id,
    rail,
    address: one.address,
    role: one.role,
    path: one.path,
    owner_id: one.ownerId,
    opened_block: null,
    created_at: now,
  }
}
