import { type PublicKey, parseUncompressedPublicKey, verifySignature } from '../../base/crypto/p256.ts'
import type { Database } from '../../storage/engine/port.ts'
import { buildPayload, computeDigests, findChangedDigests, formatLine, hashBlock, NO_HASH } from './lines.ts'
import {
  type BlockRow,
  type CheckedCheckpoint,
  checkBooks,
  type Extent,
  FINDINGS_MAX,
  type Finding,
  findBlocksAfter,
  findCheckpointsAfter,
  findCoverage,
  findHash,
  findTransfers,
  findUnknownTransfers,
  measureBooks,
} from './store.ts'

const BLOCKS_MAX = 20
const CHECKPOINTS_MAX = 500

/** A checkpoint stored outside the database, as the API or an event showed it. */
export interface StoredCheckpoint {
  readonly payload: string
  /** In Base64. */
  readonly signature: string
}

export interface BooksReport {
  readonly checked: { readonly [Name in keyof Extent]: number } & {
    readonly blocks: number
    readonly chained: number
    readonly checkpoints: number
    readonly kept: number
  }
  /** At most a hundred per check. */
  readonly findings: readonly Finding[]
}

/**
 * Checks the whole ledger, its hash chain and checkpoints, and `kept` checkpoints stored outside the
 * database. It only reads, so servers can keep running. `publicKey` is the quorum key of the server that
 * wrote the ledger: 130 hex characters.
 */
export async function verifyLedger(
  db: Database,
  publicKey: string,
  kept: readonly StoredCheckpoint[] = [],
): Promise<BooksReport> {
  const key = parseUncompressedPublicKey(publicKey)
  if (!key) throw new Error('the quorum key is not a valid public key')
  const extent = await measureBooks(db)
  const findings = await checkBooks(db)
  const coverage = await checkCoverage(db)
  const chain = await checkChain(db)
  const checkpoints = await checkCheckpoints(db, key)
  findings.push(...coverage, ...chain.findings, ...checkpoints.findings)
  findings.push(...(await checkKept(db, key, kept)))
  return {
    checked: {
      accounts: Number(extent.accounts),
      transfers: Number(extent.transfers),
      events: Number(extent.events),
      blocks: chain.blocks,
      chained: chain.chained,
      checkpoints: checkpoints.count,
      kept: kept.length,
    },
    findings,
  }
}

/** Checks that every finished transfer is in the chain or in the queue. */
async function checkCoverage(db: Database): Promise<Finding[]> {
  const { ended, chained, queued } = await findCoverage(db)
  if (ended === chained + queued) return []
  const found = `${ended} transfers have ended`
  const total: Finding = {
    check: 'coverage',
    id: 'ledger',
    expected: `${chained} in the chain, ${queued} in the queue`,
    found,
  }
  const unchained = (await findUnknownTransfers(db)).map(
    (id): Finding => ({
      check: 'coverage',
      id,
      expected: 'a transfer in the chain',
      found: 'not in any block',
    }),
  )
  return [total, ...unchained]
}

/** Recomputes and compares every block. */
async function checkChain(db: Database) {
  const findings: Finding[] = []
  let last: BlockRow | undefined
  let blocks = 0
  let chained = 0
  for (;;) {
    const page = await findBlocksAfter(db, last, BLOCKS_MAX)
    for (const block of page) {
      const previous = last?.platform_id === block.platform_id ? last : undefined
      if (findings.length < FINDINGS_MAX) findings.push(...(await checkBlock(db, block, previous)))
      last = block
      blocks += 1
      chained += block.transfer_ids.length
    }
    if (page.length < BLOCKS_MAX) return { findings, blocks, chained }
  }
}

async function checkBlock(db: Database, block: BlockRow, previous: BlockRow | undefined): Promise<Finding[]> {
  const number = (previous?.number ?? 0n) + 1n
  const blockName = `block ${block.number} of ${block.platform_id}`
  if (block.number !== number)
    return [{ check: 'chain', id: blockName, expected: `block ${number}`, found: `block ${block.number}` }]
  const count = (previous?.transfer_count ?? 0n) + BigInt(block.transfer_ids.length)
  if (block.transfer_count !== count)
    return [
      {
        check: 'chain',
        id: blockName,
        expected: `${count} transfers`,
        found: `${block.transfer_count} transfers`,
      },
    ]
  const rows = new Map((await findTransfers(db, block.transfer_ids)).map((row) => [row.id, row]))
  const missing = block.transfer_ids.filter((id) => !rows.has(id))
  if (missing.length > 0)
    return missing.map((id) => ({
      check: 'chain',
      id,
      expected: `a transfer in ${blockName}`,
      found: 'missing',
    }))
  const lines = block.transfer_ids.flatMap((id) => {
    const row = rows.get(id)
    return row ? [formatLine(row)] : []
  })
  const hash = hashBlock({ platformId: block.platform_id, number, before: previous?.hash ?? NO_HASH }, lines)
  if (hash.equals(block.hash)) return []
  const changed = findChangedDigests(block.digests, computeDigests(lines))
  if (changed.length === 0)
    return [{ check: 'chain', id: blockName, expected: toHex(block.hash), found: toHex(hash) }]
  return changed.map((at) => ({
    check: 'chain',
    id: block.transfer_ids[at] ?? blockName,
    expected: `unchanged since it was added to ${blockName}`,
    found: lines[at]?.replaceAll('\t', ' ') ?? '',
  }))
}

/** Checks that every checkpoint is signed, equals its row, and covers an existing block. */
async function checkCheckpoints(db: Database, key: PublicKey) {
  const findings: Finding[] = []
  let count = 0
  let last: string | undefined
  for (;;) {
    const page = await findCheckpointsAfter(db, last, CHECKPOINTS_MAX)
    for (const row of page) {
      const fault = findFault(row, key)
      if (fault && findings.length < FINDINGS_MAX)
        findings.push({ check: 'checkpoint', id: row.id, ...fault })
    }
    count += page.length
    last = page.at(-1)?.id
    if (page.length < CHECKPOINTS_MAX) return { findings, count }
  }
}

function findFault(row: CheckedCheckpoint, key: PublicKey): Pick<Finding, 'expected' | 'found'> | undefined {
  const payload = buildPayload({
    platformId: row.platform_id,
    blockNumber: row.block_number,
    transferCount: row.transfer_count,
    hash: row.hash,
    at: row.created_at,
  })
  if (payload !== row.payload) return { expected: payload, found: row.payload }
  if (!isSigned(key, row.payload, row.signature))
    return { expected: 'a signature by the quorum key', found: 'another signature' }
  return findBlockFault(row.hash, row.block_hash ?? undefined)
}

function findBlockFault(
  expected: Uint8Array,
  found: Uint8Array | undefined,
): Pick<Finding, 'expected' | 'found'> | undefined {
  if (found && Buffer.from(found).equals(expected)) return undefined
  return { expected: `a block with hash ${toHex(expected)}`, found: found ? toHex(found) : 'no block' }
}

/** Checkpoints stored outside the database reveal even a consistent change of both chain and checkpoints. */
async function checkKept(
  db: Database,
  key: PublicKey,
  kept: readonly StoredCheckpoint[],
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [at, { payload, signature }] of kept.entries()) {
    const id = `kept checkpoint ${at + 1}`
    const content = readPayload(payload)
    if (!content || !isSigned(key, payload, Buffer.from(signature, 'base64'))) {
      findings.push({
        check: 'kept',
        id,
        expected: 'a checkpoint signed by the quorum key',
        found: 'no valid signature',
      })
      continue
    }
    const found = await findHash(db, content.platformId, content.blockNumber)
    const fault = findBlockFault(content.hash, found)
    if (fault)
      findings.push({ check: 'kept', id: `block ${content.blockNumber} of ${content.platformId}`, ...fault })
  }
  return findings
}

function readPayload(payload: string) {
  try {
    const { platformId, blockNumber, hash } = JSON.parse(payload)
    if (typeof platformId !== 'string' || typeof hash !== 'string' || !/^\d{1,18}$/.test(blockNumber))
      return undefined
    return { platformId, blockNumber: BigInt(blockNumber), hash: Buffer.from(hash, 'hex') }
  } catch {
    return undefined
  }
}

function isSigned(key: PublicKey, payload: string, signature: Uint8Array): boolean {
  return verifySignature(key, Buffer.from(payload), signature)
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
