import type { PayoutBatchState, PayoutLineState } from '@countersign/contract/states/payout-states'
import type { Op } from '../../kernel/operation/app.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { PayoutBatchRow, PayoutLineRow } from '../../storage/rows/payout.ts'

/** The states in which a batch may still pay. */
const PAYING_STATES: readonly PayoutBatchState[] = ['CHECKING', 'READY', 'AWAITING_APPROVAL', 'SENDING']

export async function selectBatch(op: Op, id: string): Promise<PayoutBatchRow | undefined> {
  return selectBatches(op, {}).where('id', '=', id).executeTakeFirst()
}

export function selectBatches(op: Op, { status }: { readonly status?: PayoutBatchState }) {
  return op.read
    .selectFrom('payout_batches')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'state', '=', status))
}

/** The newest other batch that has paid part of the same file or, with `orMay`, may still pay it. */
export async function selectSameFile(
  op: Op,
  { id, file_sha256 }: Pick<PayoutBatchRow, 'id' | 'file_sha256'>,
  { orMay }: { readonly orMay: boolean },
): Promise<string | null> {
  if (file_sha256 === null) return null
  const paying: readonly PayoutBatchState[] = orMay ? PAYING_STATES : ['SENDING']
  const batch = await selectBatches(op, {})
    .where('file_sha256', '=', file_sha256)
    // A batch canceled while sending has paid some of its lines.
    .where((eb) => eb.or([eb('sent', '>', 0), eb('state', 'in', paying)]))
    .where('id', '<>', id)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return batch?.id ?? null
}

export function selectLines(op: Op, batchId: string, { status }: { readonly status?: PayoutLineState }) {
  return op.read
    .selectFrom('payout_lines')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('batch_id', '=', batchId)
    .$call((q) => whereIfDefined(q, 'state', '=', status))
}

/** The first `limit` lines in a state from a given line on, in order. */
export async function selectNextLines(
  op: Op,
  batchId: string,
  status: PayoutLineState,
  fromLine: number,
  limit: number,
): Promise<PayoutLineRow[]> {
  return selectLines(op, batchId, { status })
    .where('line', '>=', fromLine)
    .orderBy('line')
    .limit(limit)
    .execute()
}

/** The first stored line with each of these references. */
export async function selectFirstWithReference(
  op: Op,
  batchId: string,
  references: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (references.length === 0) return new Map()
  const rows = await op.read
    .selectFrom('payout_lines')
    .select(({ fn }) => ['reference', fn.min('line').as('first')])
    .where('platform_id', '=', op.platform.id)
    .where('batch_id', '=', batchId)
    .where('reference', 'in', references)
    .groupBy('reference')
    .execute()
  return new Map(rows.map(({ reference, first }) => [String(reference), Number(first)]))
}
