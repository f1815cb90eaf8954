import type { Op } from '../../kernel/operation/app.ts'
import { toOwnUuid } from '../../storage/engine/ids.ts'
import type { Database } from '../../storage/engine/port.ts'
import { getOnlyRow } from '../../storage/engine/port.ts'
import type { LedgerTransferRow } from '../../storage/rows/ledger.ts'
import type { LedgerCheckpointRow } from '../../storage/rows/proof.ts'

/** Transfers queued for the next block, and the last block of their platform. */
export interface QueuedRow {
  readonly platform_id: string
  readonly position: bigint
  readonly transfer_ids: readonly string[]
  readonly number: bigint | null
  readonly transfer_count: bigint | null
  readonly hash: Uint8Array | null
}

/** A single statement, so that the last block is read in the same snapshot as the queue. */
const QUEUED = `
SELECT q.platform_id, q.position, q.transfer_ids, b.number, b.transfer_count, b.hash
FROM (SELECT * FROM proof_queue ORDER BY platform_id, position LIMIT $1) AS q
  LEFT JOIN LATERAL (SELECT number, transfer_count, hash FROM proof_blocks
    WHERE platform_id = q.platform_id ORDER BY number DESC LIMIT 1) AS b ON true
ORDER BY q.platform_id, q.position`

export async function findQueued(db: Database, max: number): Promise<QueuedRow[]> {
  return (await db.query<QueuedRow>(QUEUED, [max])).rows
}

/** The transfers with these ids, in no particular order. */
export async function findTransfers(db: Database, ids: readonly string[]): Promise<LedgerTransferRow[]> {
  const { rows } = await db.query<LedgerTransferRow>(
    'SELECT * FROM ledger_transfers WHERE id = ANY ($1::uuid[])',
    [ids.map(toOwnUuid)],
  )
  return rows
}

/** A block to be written. */
export interface NewBlock {
  readonly platformId: string
  readonly number: bigint
  readonly transferIds: readonly string[]
  readonly digests: Uint8Array
  readonly transferCount: bigint
  readonly hash: Uint8Array
}

/** Fails if another process has already written a block with the same number from these queue rows. */
const WRITE_BLOCKS = `
WITH taken AS (
  DELETE FROM proof_queue USING unnest($1::uuid[], $2::bigint[]) AS row (platform_id, position)
  WHERE proof_queue.platform_id = row.platform_id AND proof_queue.position = row.position
)
INSERT INTO proof_blocks (platform_id, number, transfer_ids, digests, transfer_count, hash, created_at)
SELECT platform_id, number, transfer_ids, decode(digests, 'hex'), transfer_count, decode(hash, 'hex'), $4
FROM jsonb_to_recordset($3::jsonb)
  AS block (platform_id uuid, number bigint, transfer_ids uuid[], digests text, transfer_count bigint, hash text)`

export async function writeBlocks(
  db: Database,
  queued: readonly QueuedRow[],
  blocks: readonly NewBlock[],
  now: Date,
): Promise<void> {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  await db.query(WRITE_BLOCKS, [
    queued.map((row) => toOwnUuid(row.platform_id)),
    queued.map(({ position }) => position),
    JSON.stringify(
      blocks.map((block) => ({
        platform_id: toOwnUuid(block.platformId),
        number: String(block.number),
        transfer_ids: block.transferIds.map(toOwnUuid),
        digests: hex(block.digests),
        transfer_count: String(block.transferCount),
        hash: hex(block.hash),
      })),
    ),
    now,
  ])
}

/** A platform's last block, if no checkpoint covers it. */
export interface UnsignedBlock {
  readonly platform_id: string
  readonly number: bigint
  readonly transfer_count: bigint
  readonly hash: Uint8Array
}

const UNSIGNED = `
SELECT b.platform_id, b.number, b.transfer_count, b.hash
FROM platforms AS p
  CROSS JOIN LATERAL (SELECT * FROM proof_blocks WHERE platform_id = p.id ORDER BY number DESC LIMIT 1) AS b
  LEFT JOIN LATERAL (SELECT block_number FROM ledger_checkpoints WHERE platform_id = p.id
    ORDER BY block_number DESC LIMIT 1) AS c ON true
  JOIN proof_blocks AS next ON next.platform_id = p.id AND next.number = coalesce(c.block_number, 0) + 1
WHERE next.created_at <= $1`

/** The last blocks of platforms that have a block created before a time and not covered by a checkpoint. */
export async function findUnsigned(db: Database, before: Date): Promise<UnsignedBlock[]> {
  return (await db.query<UnsignedBlock>(UNSIGNED, [before])).rows
}

export function selectCheckpoints(op: Op) {
  return op.read.selectFrom('ledger_checkpoints').selectAll().where('platform_id', '=', op.platform.id)
}

/** A block to be checked. */
export interface BlockRow {
  readonly platform_id: string
  readonly number: bigint
  readonly transfer_ids: readonly string[]
  readonly digests: Uint8Array
  readonly transfer_count: bigint
  readonly hash: Uint8Array
}

/** The next blocks after a given one, ordered by platform and number. */
export async function findBlocksAfter(
  db: Database,
  after: Pick<BlockRow, 'platform_id' | 'number'> | undefined,
  max: number,
): Promise<BlockRow[]> {
  const { rows } = await db.query<BlockRow>(
    `SELECT platform_id, number, transfer_ids, digests, transfer_count, hash FROM proof_blocks
     ${after ? 'WHERE (platform_id, number) > ($2, $3)' : ''} ORDER BY platform_id, number LIMIT $1`,
    after ? [max, toOwnUuid(after.platform_id), after.number] : [max],
  )
  return rows
}

/** A checkpoint with the hash of its block; null if the block is missing. */
export interface CheckedCheckpoint extends LedgerCheckpointRow {
  readonly block_hash: Uint8Array | null
}

export async function findCheckpointsAfter(
  db: Database,
  after: string | undefined,
  max: number,
): Promise<CheckedCheckpoint[]> {
  const { rows } = await db.query<CheckedCheckpoint>(
    `SELECT c.*, b.hash AS block_hash FROM ledger_checkpoints AS c
       LEFT JOIN proof_blocks AS b ON b.platform_id = c.platform_id AND b.number = c.block_number
     ${after === undefined ? '' : 'WHERE c.id > $2'} ORDER BY c.id LIMIT $1`,
    after === undefined ? [max] : [max, toOwnUuid(after)],
  )
  return rows
}

/** The hash of a block; undefined if the block does not exist. */
export async function findHash(
  db: Database,
  platformId: string,
  number: bigint,
): Promise<Uint8Array | undefined> {
  const { rows } = await db.query<{ hash: Uint8Array }>(
    'SELECT hash FROM proof_blocks WHERE platform_id = $1 AND number = $2',
    [toOwnUuid(platformId), number],
  )
  return rows[0]?.hash
}

/** A failed check of one record. */
export interface Finding {
  /** The name of the check, such as `balance`. */
  readonly check: string
  /** The faulty record. */
  readonly id: string
  readonly expected: string
  readonly found: string
}

/** The maximum number of findings per check. */
export const FINDINGS_MAX = 100

/**
 * The queries of the checks, by name. Each returns `id`, `expected` and `found` for every error, from a
 * single snapshot.
 */
const RULES = {
  balance: `
    WITH moved AS (
      SELECT account_id, sum(amount) AS amount FROM ledger_entries GROUP BY 1
    ), waiting AS (
      SELECT debit_account_id AS account_id, sum(amount) AS held FROM ledger_transfers WHERE state = 'pending' GROUP BY 1
    )
    SELECT a.id,
      format('posted %s, held %s', coalesce(m.amount, 0) * side, coalesce(w.held, 0)) AS expected,
      format('posted %s, held %s', a.posted, a.held) AS found
    FROM (SELECT *, CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END AS side FROM ledger_accounts) AS a
      LEFT JOIN moved AS m ON m.account_id = a.id LEFT JOIN waiting AS w ON w.account_id = a.id
    WHERE a.posted <> coalesce(m.amount, 0) * side OR a.held <> coalesce(w.held, 0)`,
  currency: `
    SELECT platform_id AS id, format('sum of 0 in %s', currency) AS expected,
      sum(posted * CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END)::text AS found
    FROM ledger_accounts GROUP BY platform_id, currency
    HAVING sum(posted * CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END) <> 0`,
  transfer: `
    SELECT t.id, 'two accounts of the same platform and currency' AS expected,
      format('%s, %s %s', t.state, t.amount, t.currency) AS found
    FROM ledger_transfers AS t
      LEFT JOIN ledger_accounts AS d ON d.id = t.debit_account_id LEFT JOIN ledger_accounts AS c ON c.id = t.credit_account_id
    WHERE t.amount <= 0 OR (d.platform_id = t.platform_id AND d.currency = t.currency) IS NOT TRUE
      OR (t.state = 'posted' AND (c.platform_id = t.platform_id AND c.currency = t.currency) IS NOT TRUE)`,
  hold: `
    SELECT t.id, 'hold of an open payment or purchase' AS expected, format('%s %s', t.cause, t.amount) AS found
    FROM ledger_transfers AS t
    WHERE t.state = 'pending' AND NOT EXISTS (SELECT 1 FROM transactions WHERE hold_id = t.id)
      AND NOT EXISTS (SELECT 1 FROM card_transactions WHERE hold_id = t.id)`,
  event: `
    SELECT e.object_id AS id, format('events %s to %s', coalesce(a.last_sequence, 0) + 1, max(e.sequence)) AS expected,
      format('%s events, from %s', count(*), min(e.sequence)) AS found
    FROM events AS e LEFT JOIN archived_events AS a ON a.object_id = e.object_id GROUP BY e.object_id, a.last_sequence
    HAVING max(e.sequence) - coalesce(a.last_sequence, 0) <> count(*) OR min(e.sequence) <> coalesce(a.last_sequence, 0) + 1`,
  told: `
    SELECT a.id, format('%s events', a.event_count) AS expected, format('last sequence %s', coalesce(e.last, old.last_sequence, 0)) AS found
    FROM ledger_accounts AS a
      LEFT JOIN (SELECT object_id, max(sequence) AS last FROM events GROUP BY 1) AS e ON e.object_id = a.id
      LEFT JOIN archived_events AS old ON old.object_id = a.id
    WHERE a.event_count <> coalesce(e.last, old.last_sequence, 0)`,
} as const

/** Checks that redundantly stored values in the ledger are equal. */
export async function checkBooks(db: Database): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [check, sql] of Object.entries(RULES)) {
    const { rows } = await db.query<Omit<Finding, 'check'>>(`${sql} ORDER BY 1 LIMIT ${FINDINGS_MAX}`, [], {
      connection: 'long',
    })
    findings.push(...rows.map((row) => ({ check, ...row })))
  }
  return findings
}

/** The amount of data that the checks cover. */
export interface Extent {
  readonly accounts: bigint
  readonly transfers: bigint
  readonly events: bigint
}

export async function measureBooks(db: Database): Promise<Extent> {
  const { rows } = await db.query<Extent>(
    `SELECT (SELECT count(*) FROM ledger_accounts) AS accounts, (SELECT count(*) FROM ledger_transfers) AS transfers,
       (SELECT count(*) FROM events) AS events`,
    [],
    { connection: 'long' },
  )
  return getOnlyRow(rows)
}

/**
 * The numbers of transfers that have ended, are in the chain, and are in its queue. One statement reads one
 * snapshot.
 */
export interface Coverage {
  readonly ended: bigint
  readonly chained: bigint
  readonly queued: bigint
}

export async function findCoverage(db: Database): Promise<Coverage> {
  const { rows } = await db.query<Coverage>(
    `SELECT (SELECT count(*) FROM ledger_transfers WHERE state <> 'pending') AS ended,
       (SELECT coalesce(sum(cardinality(transfer_ids)), 0)::bigint FROM proof_blocks) AS chained,
       (SELECT coalesce(sum(cardinality(transfer_ids)), 0)::bigint FROM proof_queue) AS queued`,
    [],
    { connection: 'long' },
  )
  return getOnlyRow(rows)
}

/** Finished transfers that are neither in the chain nor in the queue. */
export async function findUnknownTransfers(db: Database): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `WITH known AS (SELECT unnest(transfer_ids) AS transfer_id FROM proof_blocks
       UNION ALL SELECT unnest(transfer_ids) FROM proof_queue)
     SELECT id FROM ledger_transfers WHERE state <> 'pending' AND id NOT IN (SELECT transfer_id FROM known)
     ORDER BY id LIMIT ${FINDINGS_MAX}`,
    [],
    { connection: 'long' },
  )
  return rows.map(({ id }) => id)
}
