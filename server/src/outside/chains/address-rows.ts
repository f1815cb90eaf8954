import type { Hex } from '../../base/formats/hex.ts'
import type { RecordContext } from '../../kernel/ports/rail-chain.ts'
import type { ChainAddressRow, ChainRole } from '../../storage/rows/chain.ts'
import { deriveAddressId } from './ids.ts'

/** Builds the record of one of our addresses. Its id is derived from the rail and the purpose. */
export function buildAddressRow(
  rail: string,
  { now, platform }: RecordContext,
  fields: {
    readonly purpose: string
    readonly address: Hex
    readonly role: ChainRole
    readonly path: string
    readonly ownerId: string | null
  },
): ChainAddressRow {
  return {
    id: deriveAddressId(rail, fields.purpose),
    platform_id: platform.id,
    rail,
    address: fields.address,
    role: fields.role,
    path: fields.path,
    owner_id: fields.ownerId,
    opened_block: null,
    created_at: now,
  }
}
