import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import type { Hex } from '../../base/formats/hex.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import { toColdStorageName } from '../../kernel/ports/rail.ts'
import type { RailChain } from '../../kernel/ports/rail-chain.ts'
import { insert } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'
import { buildAddressRow } from './address-rows.ts'
import { type EvmRail, requireFollowedBlock } from './evm-rail.ts'
import { deriveMoveId } from './ids.ts'
import { findOwnAddressFault } from './payees.ts'
import { buildChainPayment } from './queue.ts'
import { buildStatement, readBalances } from './statement.ts'
import { selectAddressesAfter, selectAddressRole } from './store.ts'

/** Cold storage: the operator's addresses on a chain, whose keys are not on this server. */

/** The purpose of a cold address in its rail's address table. */
function formatPurpose(address: Hex): string {
  return `COLD ${address}`
}

type ColdStorage = Pick<RailChain, 'findColdStorageFault' | 'coldAddress' | 'move'>

export function buildColdStorageCalls(rail: () => EvmRail): ColdStorage {
  return {
    async findColdStorageFault(read, address) {
      const isCold = await isColdAddress(read, rail().name, address)
      return isCold ? undefined : findOwnAddressFault(rail(), read, address)
    },
    async coldAddress(read, from, ownAccountId, address) {
      requireFollowedBlock(rail())
      const { name } = rail()
      if (await isColdAddress(read, name, address)) return []
      const purpose = formatPurpose(address)
      const row = buildAddressRow(name, from, {
        purpose,
        address,
        role: 'COLD',
        path: '',
        ownerId: ownAccountId,
      })
      return [insert('chain_addresses', row)]
    },
    move: ({ now, platform }, { id, ...transfer }) =>
      insert(
        'chain_payments',
        buildChainPayment(rail(), {
          ...transfer,
          id: deriveMoveId(id),
          platformId: platform.id,
          kind: 'MOVE',
          paymentId: id,
          now,
        }),
      ),
  }
}

async function isColdAddress(read: Read, rail: string, address: Hex): Promise<boolean> {
  return (await selectAddressRole(read, rail, address)) === 'COLD'
}

/** Represents a rail's cold storage as an account with statements. */
export function createColdStorageRail(entry: EvmRailValue, rail: () => EvmRail): Rail {
  return {
    name: toColdStorageName(entry.name),
    entry,
    isRetired: true,
    lateDeposits: 'RETURN',
    currenciesIn: [],
    opensAt: (now) => now,
    send: refusePayment,
    pull: refusePayment,
    pullable: async () => undefined,
    balances: (from) => readBalances(rail(), from, 'cold'),
    async statement(date, currency, from) {
      const isRegistered = (await selectAddressesAfter(from, entry.name, 'cold', undefined, 1)).length > 0
      return isRegistered ? buildStatement(rail(), date, currency, from, 'cold') : undefined
    },
  }
}

async function refusePayment(): Promise<never> {
  throw new Error('Cold storage does not send payments')
}
