import type { Enclave } from '../../kernel/ports/enclave.ts'
import type { RailChain } from '../../kernel/ports/rail-chain.ts'
import { insert, update } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'
import { addressRow } from './address-rows.ts'
import { type EvmRail, requireFollowedBlock, treasuryName } from './evm-rail.ts'
import { pathOf } from './formats/paths.ts'
import { chainAddressIdOf, chainIdOf } from './ids.ts'
import { selectTreasuries, selectTreasuryId } from './store.ts'

/**
 * Treasury key rotation. Each key is derived from the enclave's seed by its number, and reveals nothing about
 * the others.
 */
export function rotationCalls(
  enclave: Enclave,
  rail: () => EvmRail,
): Pick<RailChain, 'treasuryAddress' | 'rotate'> {
  const path = (number: number) => pathOf(rail().name, 'TREASURY', treasuryName(number))
  const address = (number: number) => enclave.chainAddress(path(number))
  return {
    treasuryAddress: address,
    async rotate(op, number) {
      requireFollowedBlock(rail())
      const { name } = rail()
      const purpose = treasuryName(number)
      const row = addressRow(name, op, {
        purpose,
        address: address(number),
        role: 'TREASURY',
        path: path(number),
        ownerId: null,
      })
      const before = await selectTreasuryId(op.read, name)
      return [
        insert('chain_addresses', row),
        update(
          'chains',
          chainIdOf(name),
          { treasury_id: before },
          { treasury_id: chainAddressIdOf(name, purpose), updated_at: op.now },
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
