import { type App, addSeconds, toRealTimeOp } from '../../kernel/operation/app.ts'
import { type Background, runInBackground } from '../../kernel/operation/background.ts'
import { event } from '../../kernel/outbox/events.ts'
import { operate } from '../../people/platforms/operate.ts'
import { insert } from '../../storage/commit/writes.ts'
import type { LedgerCheckpointRow } from '../../storage/rows/proof.ts'
import { extendChains } from './chain.ts'
import { buildPayload } from './lines.ts'
import { findUnsigned, type UnsignedBlock } from './store.ts'

const CHAIN_MS = 5_000
const CHECKPOINT_MS = 60_000
/** The maximum age of a block before a checkpoint covers it. */
const CHECKPOINT_SECONDS = 60 * 60

/** Starts the workers that add finished transfers to the chain and sign checkpoints. */
export function startProving(app: App): readonly Background[] {
  const logFailure = (error: unknown) => app.log.error({ err: error }, 'failed to extend the ledger proofs')
  return [
    runInBackground(CHAIN_MS, () => extendChains(app.db, app.clock), logFailure),
    runInBackground(
      CHECKPOINT_MS,
      () => signCheckpoints(app, addSeconds(app.clock(), -CHECKPOINT_SECONDS)),
      logFailure,
    ),
  ]
}

/**
 * Signs the latest block of every platform with an uncovered block created before `before`, and notifies the
 * platforms. Returns the ids of the new checkpoints.
 */
export async function signCheckpoints(app: App, before: Date): Promise<string[]> {
  const ids: string[] = []
  for (const block of await findUnsigned(app.db, before)) {
    const id = await signCheckpoint(app, block)
    if (id !== undefined) ids.push(id)
  }
  return ids
}

/** Undefined if another process has signed this block. */
async function signCheckpoint(app: App, block: UnsignedBlock): Promise<string | undefined> {
  const op = await operate(app, block.platform_id)
  const real = toRealTimeOp(op)
  const payload = buildPayload({
    platformId: block.platform_id,
    blockNumber: block.number,
    transferCount: block.transfer_count,
    hash: block.hash,
    at: real.now,
  })
  const row: LedgerCheckpointRow = {
    id: real.newId('LedgerCheckpoint'),
    platform_id: block.platform_id,
    block_number: block.number,
    transfer_count: block.transfer_count,
    hash: block.hash,
    payload,
    signature: app.enclave.signCheckpoint(payload),
    created_at: real.now,
  }
  const result = await app.commit(op, [
    insert('ledger_checkpoints', row),
    event(op, 'LEDGER.CHECKPOINT', row.id, toCheckpointView(row)),
  ])
  return result.done ? row.id : undefined
}

/** A checkpoint in its API form. */
export function toCheckpointView(row: LedgerCheckpointRow) {
  return {
    id: row.id,
    blockNumber: row.block_number,
    transferCount: row.transfer_count,
    hash: Buffer.from(row.hash).toString('hex'),
    payload: row.payload,
    signature: Buffer.from(row.signature).toString('base64'),
    createdAt: row.created_at.toISOString(),
  }
}
