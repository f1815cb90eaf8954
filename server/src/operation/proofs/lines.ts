import { createHash } from 'node:crypto'
import type { LedgerTransferRow } from '../../storage/rows/ledger.ts'

const DIGEST_BYTES = 8

/** The previous hash of the first block. */
export const NO_HASH = Buffer.alloc(32)

/** The position of a block in a platform's chain. */
export interface BlockPlace {
  readonly platformId: string
  readonly number: bigint
  /** The hash of the previous block. */
  readonly before: Uint8Array
}

/** Formats a finished transfer as its line in the hash chain, with all its final values. */
export function formatLine(row: LedgerTransferRow): string {
  return [
    row.id,
    row.debit_account_id,
    row.credit_account_id,
    row.currency,
    row.amount,
    row.state,
    row.cause,
    row.cause_id,
    row.created_at.toISOString(),
    row.ended_at?.toISOString() ?? '',
  ].join('\t')
}

/** The SHA-256 over a block's position and the lines of its transfers, each terminated by LF. */
export function hashBlock({ platformId, number, before }: BlockPlace, lines: readonly string[]): Buffer {
  const hash = createHash('sha256')
  hash.update(
    `countersign ledger block 1\n${platformId}\n${number}\n${Buffer.from(before).toString('hex')}\n`,
  )
  for (const line of lines) hash.update(`${line}\n`)
  return hash.digest()
}

/** The first eight bytes of the SHA-256 of each line, concatenated. */
export function computeDigests(lines: readonly string[]): Buffer {
  return Buffer.concat(
    lines.map((line) => createHash('sha256').update(line).digest().subarray(0, DIGEST_BYTES)),
  )
}

/** Returns the indexes of digests that differ. */
export function findChangedDigests(stored: Uint8Array, found: Uint8Array): number[] {
  const digestAt = (digests: Uint8Array, index: number) =>
    Buffer.from(digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES))
  return Array.from({ length: found.length / DIGEST_BYTES }, (_, index) => index).filter(
    (index) => !digestAt(stored, index).equals(digestAt(found, index)),
  )
}

/** The fields of a checkpoint. */
export interface Checkpointed {
  readonly platformId: string
  readonly blockNumber: bigint
  readonly transferCount: bigint
  readonly hash: Uint8Array
  readonly at: Date
}

/** The signed text of a checkpoint: JSON without whitespace, with the fields in this order. */
export function buildPayload({ platformId, blockNumber, transferCount, hash, at }: Checkpointed): string {
  return JSON.stringify({
    type: 'COUNTERSIGN_LEDGER_CHECKPOINT_1',
    platformId,
    blockNumber: String(blockNumber),
    transferCount: String(transferCount),
    hash: Buffer.from(hash).toString('hex'),
    createdAt: at.toISOString(),
  })
}
