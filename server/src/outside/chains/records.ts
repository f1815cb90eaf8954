import type { Op } from '../../kernel/operation/app.ts'
import type { ReadsFrom } from '../../kernel/ports/rail.ts'
import type { ChainRow } from '../../storage/rows/chain.ts'
import { deriveChainRecordId } from './ids.ts'
import { selectChain, selectFollowedBlock } from './store.ts'

/** The record of a rail's chain. Undefined until the worker has reached the chain. */
export async function findChain(op: Op, rail: string): Promise<ChainRow | undefined> {
  return selectChain(op, deriveChainRecordId(rail))
}

/** The last followed block of a rail's chain. Undefined until a process has reached the chain. */
export async function findFollowedBlock(
  from: Pick<ReadsFrom, 'db'>,
  rail: string,
): Promise<bigint | undefined> {
  return selectFollowedBlock(from, rail)
}
