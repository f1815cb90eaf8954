import type { ChainRow } from '../db/schema/chain-tables.ts'
import type { Op } from '../op/app.ts'
import { selectChain } from './store.ts'

/** The record of a rail's chain, by its id. Undefined before the desk has met it. */
export async function findChain(op: Op, id: string): Promise<ChainRow | undefined> {
  return selectChain(op, id)
}
