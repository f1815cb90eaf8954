import { createHash } from 'node:crypto'
import type { LedgerTransferRow } from '../../storage/rows/ledger.ts'

const DIGEST_BYTES = 8

/** The hash before the first block. */
export const NO_HASH = Buffer.alloc(32)

/** A block's place in a platform's chain. */
export interface BlockPlace {
  readonly platformId: string
  readonly number: bigint
  /** The previous block's hash. */
  readonly before: Uint8Array
}

/** The hash chain's line for a finished transfer: all its final values. */
export function lineOf(row: LedgerTransferRow): string {
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

/** SHA-256 over a block's place and its transfers' lines, each with its line end. */
export function hashOfBlock({ platformId, number, before }: BlockPlace, lines: readonly string[]): Buffer {
  const hash = createHash('sha256')
  hash.update(
    `countersign ledger block 1\n${platformId}\n${number}\n${Buffer.from(before).toString('hex')}\n`,
  )
  for (const line of lines) hash.update(`${line}\n`)
  return hash.digest()
}

/** The first eight bytes of each line's SHA-256, concatenated. */
export function digestsOf(lines: readonly string[]): Buffer {
  return Buffer.concat(
    lines.map((line) => createHash('sha256').update(line).digest().subarray(0, DIGEST_BYTES)),
  )
}

/** The places at which two rows of digests differ. */
export function findChangedDigests(stored: Uint8Array, found: Uint8Array): number[] {
  const at = (digests: Uint8Array, place: number) =>
    Buffer.from(digests.subarray(place * DIGEST_BYTES, (place + 1) * DIGEST_BYTES))
  return Array.from({ length: found.length / DIGEST_BYTES }, (_, place) => place).filter(
    (place) => !at(stored, place).equals(at(found, place)),
  )
}

/** The fields of a checkpoint about a block. */
export interface Checkpointed {
  readonly platformId: string
  readonly blockNumber: bigint
  readonly transferCount: bigint
  readonly hash: Uint8Array
  readonly at: Date
}

/** A checkpoint's signed text: JSON, its members in this order, without spaces. */
export function payloadOf({ platformId, blockNumber, transferCount, hash, at }: Checkpointed): string {
  return JSON.stringify({
    type: 'COUNTERSIGN_LEDGER_CHECKPOINT_1',
    platformId,
    blockNumber: String(blockNumber),
    transferCount: String(transferCount),
    hash: Buffer.from(hash).toString('hex'),
    createdAt: at.toISOString(),
  })
}
