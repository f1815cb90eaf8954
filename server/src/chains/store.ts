import { rowByKey } from '../db/read/lookup.ts'
import type { ChainAddressRow, ChainRow } from '../db/schema/chain-tables.ts'
import type { Op } from '../op/app.ts'

const CHAIN_BY_ID = rowByKey<ChainRow>('SELECT * FROM chains WHERE id = ANY ($1::uuid[])', 'id')

export async function selectChain(op: Op, id: string): Promise<ChainRow | undefined> {
  return op.find(CHAIN_BY_ID, id)
}

const ADDRESS_BY_ID = rowByKey<ChainAddressRow>(
  'SELECT * FROM chain_addresses WHERE id = ANY ($1::uuid[])',
  'id',
)

export async function selectChainAddress(op: Op, id: string): Promise<ChainAddressRow | undefined> {
  return op.find(ADDRESS_BY_ID, id)
}
