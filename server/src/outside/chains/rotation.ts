import type { Enclave } from '../../kernel/ports/enclave.ts'
import type { RailChain } from '../../kernel/ports/rail-chain.ts'
import { insert, update } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'
import { buildAddressRow } from './address-rows.ts'
import { type EvmRail, formatTreasuryName, requireFollowedBlock } from './evm-rail.ts'
import { pathOf } from './formats/paths.ts'
import { deriveAddressId, deriveChainRecordId } from './ids.ts'
import { selectTreasuries, selectTreasuryId } from './store.ts'

/**
 * Treasury key rotation. Each key is derived from the enclave's seed by its number, and reveals nothing about
 * the others.
 */
export function buildRotationCalls(
  enclave: Enclave,
  rail: () => EvmRail,
): Pick<RailChain, 'treasuryAddress' | 'rotate'> {
  const getPath = (number: number) => pathOf(rail().name, 'TREASURY', formatTreasuryName(number))
  const deriveAddress = (number: number) => enclave.chainAddress(getPath(number))
  return {
    treasuryAddress: deriveAddress,
    async rotate(op, number) {
      requireFollowedBlock(rail())
      const { name } = rail()
      const purpose = formatTreasuryName(number)
      const row = buildAddressRow(name, op, {
        purpose,
        address: deriveAddress(number),
        role: 'TREASURY',
        path: getPath(number),
        ownerId: null,
      })
      const before = await selectTreasuryId(op.read, name)
      return [
        insert('chain_addresses', row),
        update(
          'chains',
          deriveChainRecordId(name),
          { treasury_id: before },
          { treasury_id: deriveAddressId(name, purpose), updated_at: op.now },
        ),
      ]
    },
  }
}

/** Reads the treasury's current address and the retired ones. */
export async function readTreasury(read: Read, rail: EvmRail, treasuryId: string): Promise<void> {
  const rows = await selectTreasuries(read, rail.name)
  const current = rows.find(({ id }) => id === treasuryId)
  if (!current) throw new Error(`${rail.name} has no treasury ${treasuryId}`)
  rail.treasury = current.address
  rail.treasuryId = current.id
  rail.retired = rows.flatMap(({ id, address }) => (id === treasuryId ? [] : [address]))
}
