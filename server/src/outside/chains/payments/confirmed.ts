import type { Op } from '../../../kernel/operation/app.ts'
import { type ChainBlock, NodeError } from '../../../kernel/ports/chain-nodes.ts'
import { expectRow, type Write } from '../../../storage/commit/writes.ts'
import type { ChainRow } from '../../../storage/rows/chain.ts'
import type { EvmRail } from '../evm-rail.ts'
import { findChain } from '../records.ts'

/**
 * The highest block that is both followed and deep enough for a payment. Payments must not end above the
 * followed blocks, because they could not be found after a deep reorganization.
 */
export interface ConfirmedPosition {
  readonly number: bigint
  /** The last followed position when this was read. Undefined until the chain has been reached. */
  readonly cursor: Pick<ChainRow, 'id' | 'followed_block' | 'followed_hash'> | undefined
}

/** The state of the chain at which payments are examined. */
export interface Moment {
  readonly head: ChainBlock
  /** The block at `position`. */
  readonly confirmed: ChainBlock
  readonly position: ConfirmedPosition
}

/** Throws NodeError. */
export async function readMoment(op: Op, rail: EvmRail): Promise<Moment> {
  const { nodes } = rail
  const head = await nodes.head()
  const position = await readConfirmed(op, rail, head.number)
  const confirmed = await nodes.block(position.number)
  if (!confirmed) throw new NodeError('BEHIND', 'No node has the confirmed block')
  return { head, confirmed, position }
}

export async function readConfirmed(
  op: Op,
  { name, entry }: EvmRail,
  head: bigint,
): Promise<ConfirmedPosition> {
  const cursor = await findChain(op, name)
  const followed = cursor?.followed_block ?? 0n
  const deep = head - BigInt(entry.confirmations) + 1n
  const number = deep < followed ? deep : followed
  return { number: number > 0n ? number : 0n, cursor }
}

/** Guards against the chain having been followed further in the meantime. */
export function guardFollowedTo({
  id,
  followed_block,
  followed_hash,
}: NonNullable<ConfirmedPosition['cursor']>): Write {
  return expectRow('chains', id, { followed_block, followed_hash })
}
