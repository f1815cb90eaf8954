import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import type { Hex } from '../../base/formats/hex.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import { coldStorageOf } from '../../kernel/ports/rail.ts'
import type { RailChain } from '../../kernel/ports/rail-chain.ts'
import { insert } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'
import { addressRow } from './address-rows.ts'
import { type EvmRail, requireFollowedBlock } from './evm-rail.ts'
import { chainMoveIdOf } from './ids.ts'
import { faultOfOwnAddress } from './payees.ts'
import { newChainPayment } from './queue.ts'
import { buildStatement, readBalances } from './statement.ts'
import { selectAddressesAfter, selectRoleOf } from './store.ts'

/** Cold storage: the operator's addresses on a chain, whose keys are not on this server. */

/** The name of a cold address in its rail's address table. */
function getPurpose(address: Hex): string {
  return `COLD ${address}`
}

type ColdStorage = Pick<RailChain, 'faultOfColdStorage' | 'coldAddress' | 'move'>

export function coldStorageCalls(rail: () => EvmRail): ColdStorage {
  return {
    async faultOfColdStorage(read, address) {
      const isCold = await isColdAddress(read, rail().name, address)
      return isCold ? undefined : faultOfOwnAddress(rail(), read, address)
    },
    async coldAddress(read, from, ownAccountId, address) {
      requireFollowedBlock(rail())
      const { name } = rail()
      if (await isColdAddress(read, name, address)) return []
      const purpose = getPurpose(address)
      const row = addressRow(name, from, { purpose, address, role: 'COLD', path: '', ownerId: ownAccountId })
      return [insert('chain_addresses', row)]
    },
    move: ({ now, platform }, { id, ...transfer }) =>
      insert(
        'chain_payments',
        newChainPayment(rail(), {
          ...transfer,
          id: chainMoveIdOf(id),
          platformId: platform.id,
          kind: 'MOVE',
          paymentId: id,
          now,
        }),
      ),
  }
}

async function isColdAddress(read: Read, rail: string, address: Hex): Promise<boolean> {
  return (await selectRoleOf(read, rail, address)) === 'COLD'
}

/** A rail's cold storage as an account with statements. */
export function coldStorageRail(entry: EvmRailValue, rail: () => EvmRail): Rail {
  return {
    name: coldStorageOf(entry.name),
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
  throw new Error('Cold storage takes no payments')
}
