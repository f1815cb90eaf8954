import { requireValue } from '../../base/formats/require-value.ts'
import { type Database, readSqlState } from '../../storage/engine/port.ts'
import type { LedgerTransferRow } from '../../storage/rows/ledger.ts'
import { type BlockPlace, computeDigests, formatLine, hashBlock, NO_HASH } from './lines.ts'
import { findQueued, findTransfers, type NewBlock, type QueuedRow, writeBlocks } from './store.ts'

/** The maximum number of queue rows per write. */
const ROWS_MAX = 500
const UNIQUE_VIOLATION = '23505'

/**
 * Adds queued finished transfers to the hash chains of their platforms until the queue is empty. Returns the
 * number added.
 */
export async function extendChains(db: Database, clock: () => Date): Promise<number> {
  let count = 0
  for (;;) {
    const queued = await findQueued(db, ROWS_MAX)
    if (queued.length === 0) return count
    const blocks = await buildBlocks(db, queued)
    try {
      await writeBlocks(db, queued, blocks, clock())
      for (const block of blocks) count += block.transferIds.length
    } catch (error) {
      // Another process has written these blocks first.
      if (readSqlState(error) !== UNIQUE_VIOLATION) throw error
    }
    if (queued.length < ROWS_MAX) return count
  }
}

/** Builds one block per platform. */
async function buildBlocks(db: Database, queued: readonly QueuedRow[]): Promise<NewBlock[]> {
  const transfers = await findTransfers(
    db,
    queued.flatMap(({ transfer_ids }) => transfer_ids),
  )
  const byId = new Map(transfers.map((row) => [row.id, row]))
  const platformIds = new Set(queued.map(({ platform_id }) => platform_id))
  return [...platformIds].map((platformId) => {
    const rows = queued.filter(({ platform_id }) => platform_id === platformId)
    const ids = rows.flatMap(({ transfer_ids }) => transfer_ids)
    const { number, transfer_count, hash } = requireValue(rows[0], 'row of a platform in the queue')
    const position = { platformId, number: (number ?? 0n) + 1n, before: hash ?? NO_HASH }
    return buildBlock(
      position,
      ids.map((id) => requireTransfer(byId, id)),
      transfer_count ?? 0n,
    )
  })
}

function requireTransfer(byId: ReadonlyMap<string, LedgerTransferRow>, id: string): LedgerTransferRow {
  const row = byId.get(id)
  if (!row) throw new Error(`${id} disappeared from the ledger before it was added to the chain`)
  return row
}

function buildBlock(
  position: BlockPlace,
  transfers: readonly LedgerTransferRow[],
  countBefore: bigint,
): NewBlock {
  const lines = transfers.map(formatLine)
  return {
    platformId: position.platformId,
    number: position.number,
    transferIds: transfers.map(({ id }) => id),
    digests: computeDigests(lines),
    transferCount: countBefore + BigInt(transfers.length),
    hash: hashBlock(position, lines),
  }
}
