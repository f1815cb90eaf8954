import { rowByKey } from '../db/read/lookup.ts'
import type { Read } from '../db/read/read.ts'
import type { ChainRole, ChainRow } from '../db/schema/chain-tables.ts'
import type { Hex } from '../formats/hex.ts'
import type { Op } from '../op/app.ts'

const CHAIN_BY_ID = rowByKey<ChainRow>('SELECT * FROM chains WHERE id = ANY ($1::uuid[])', 'id')

export async function selectChain(op: Op, id: string): Promise<ChainRow | undefined> {
  return op.find(CHAIN_BY_ID, id)
}

/** What an address is for, if it is one of ours on the chain of a rail. The address is in lower case. */
export async function selectRoleOf(read: Read, rail: string, address: Hex): Promise<ChainRole | undefined> {
  const found = await read
    .selectFrom('chain_addresses')
    .where('rail', '=', rail)
    .where('address', '=', address)
    .select('role')
    .executeTakeFirst()
  return found?.role
}
