import { toChecksumAddress } from '../../../base/formats/addresses.ts'
import type { Hex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { transition } from '../../../kernel/operation/transition.ts'
import { toBlockTime } from '../../../kernel/ports/chain-nodes.ts'
import { recordDeposit } from '../../../money/deposits/deposits.ts'
import { createRailOp, decide } from '../../../money/rails/rail-worker.ts'
import { bookMovement } from '../../../operation/treasury/movements.ts'
import { expectRow, insert, update, type Write } from '../../../storage/commit/writes.ts'
import type { ChainMovementRow, ChainRow } from '../../../storage/rows/chain.ts'
import { CHAIN_MOVEMENT_INITIAL, CHAIN_MOVEMENT_TRANSITIONS } from '../../../storage/rows/states.ts'
import type { ChainWorker, EvmRail } from '../evm-rail.ts'
import { deriveMovementId } from '../ids.ts'
import { selectPayment } from '../payments/store.ts'
import { findChain } from '../records.ts'
import { alertColdTransfer, bookReturn, toMovedMoney } from './cold-transfers.ts'
import type { RangeRead } from './read-range.ts'
import { classifyTransfers, type Sighting } from './sightings.ts'
import { selectTransactionMovements } from './store.ts'
import { storeBlock } from './stored-blocks.ts'
import { recordOutflow } from './unexplained-outflows.ts'

/** The zero address, the source of minted and the target of burned tokens. It cannot receive a refund. */
export const ZERO_ADDRESS: Hex = `0x${'0'.repeat(40)}`

/** Maximum sightings per write set. */
const SIGHTINGS_MAX = 50

/** A chain's last followed position. It guards everything booked after it. */
export type Cursor = Pick<ChainRow, 'id' | 'followed_block' | 'followed_hash' | 'cold_version'>

/**
 * Books the range after the cursor: its transfers in several write sets, each transfer once, and finally the
 * new cursor. Returns the updated chain, or undefined if another process has moved the cursor.
 */
export async function bookBlockRange(
  worker: ChainWorker,
  cursor: Cursor,
  read: RangeRead,
): Promise<ChainRow | undefined> {
  const sightings = await classifyTransfers(await createRailOp(worker), worker.rail.name, read)
  for (const batch of splitIntoWriteSets(sightings))
    if (!(await commitAtCursor(worker, cursor, (op, chain) => bookSightings(op, worker.rail, chain, batch))))
      return undefined
  let updated: ChainRow | undefined
  const isUnchanged = await commitAtCursor(worker, cursor, async (op, chain) => {
    const { number, hash } = read.to
    const time = toBlockTime(read.to)
    const change = {
      followed_block: number,
      followed_hash: hash,
      followed_time: time,
      highest_block: number > chain.highest_block ? number : chain.highest_block,
      latest_time: time > chain.latest_time ? time : chain.latest_time,
      updated_at: op.now,
    }
    updated = { ...chain, ...change }
    return [
      update('chains', chain.id, toGuard(cursor), change),
      await storeBlock(op, worker.rail.name, read.to),
    ]
  })
  return isUnchanged ? updated : undefined
}

function toGuard({ followed_block, followed_hash, cold_version }: Cursor) {
  return { followed_block, followed_hash, cold_version }
}

/** Decides and commits while the cursor is unchanged. Returns false if the cursor has moved. */
export async function commitAtCursor(
  worker: ChainWorker,
  cursor: Cursor,
  decideWrites: (op: Op, chain: ChainRow) => Promise<readonly Write[]>,
): Promise<boolean> {
  let isUnchanged = true
  await decide(worker, async (op) => {
    const chain = await findChain(op, worker.rail.name)
    isUnchanged =
      chain?.followed_block === cursor.followed_block &&
      chain.followed_hash === cursor.followed_hash &&
      chain.cold_version === cursor.cold_version
    if (!chain || !isUnchanged) return []
    const writes = await decideWrites(op, chain)
    return writes.length === 0 ? [] : [expectRow('chains', chain.id, toGuard(cursor)), ...writes]
  })
  return isUnchanged
}

/**
 * Splits transfers into write sets. A transfer that depends on a quote or a balance is decided only after the
 * earlier ones have been written.
 */
function splitIntoWriteSets(sightings: readonly Sighting[]): Sighting[][] {
  const sets: Sighting[][] = []
  let owners = new Set<string>()
  for (const sighting of sightings) {
    const owner = findUniqueKey(sighting)
    const last = sets.at(-1)
    if (!last || last.length === SIGHTINGS_MAX || (owner !== undefined && owners.has(owner))) {
      sets.push([sighting])
      owners = new Set()
    } else last.push(sighting)
    if (owner !== undefined) owners.add(owner)
  }
  return sets
}

/** A key that may occur only once in a write set. */
function findUniqueKey({ kind, from, to }: Sighting): string | undefined {
  if (kind === 'SPENT') return from?.id
  return kind === 'DEPOSIT' && to?.owner_id?.startsWith('Quote:') ? to.id : undefined
}

async function bookSightings(
  op: Op,
  rail: EvmRail,
  chain: ChainRow,
  sightings: readonly Sighting[],
): Promise<readonly Write[]> {
  const hashes = [...new Set(sightings.map(({ seen }) => seen.transactionHash))]
  const known = new Map<Hex, ChainMovementRow[]>()
  for (const row of await selectTransactionMovements(op, chain.rail, hashes))
    known.set(row.transaction_hash, [...(known.get(row.transaction_hash) ?? []), row])
  const foundIds = new Set<string>()
  const bookings = sightings.map((sighting) => {
    const before = known.get(sighting.seen.transactionHash) ?? []
    const record = findRecord(before, sighting, foundIds)
    if (record) foundIds.add(record.id)
    return record ? updateReappeared(op, record, sighting) : bookNew(op, rail, chain, before, sighting)
  })
  return (await Promise.all(bookings)).flat()
}

/** Finds the record of this transfer: booked earlier, or reorged and now back in the same transaction. */
function findRecord(
  known: readonly ChainMovementRow[],
  { kind, seen }: Sighting,
  foundIds: ReadonlySet<string>,
): ChainMovementRow | undefined {
  const candidates = known.filter(
    (row) =>
      !foundIds.has(row.id) &&
      row.state !== 'GONE' &&
      row.kind === kind &&
      row.token === seen.token &&
      row.sender === seen.sender &&
      row.recipient === seen.recipient &&
      row.amount === seen.amount,
  )
  const isInSameBlock = (row: ChainMovementRow) => row.block_hash === seen.blockHash
  return (
    candidates.find((row) => isInSameBlock(row) && row.log_index === seen.logIndex) ??
    candidates.find((row) => row.state === 'UNSURE' || !isInSameBlock(row))
  )
}

async function updateReappeared(op: Op, row: ChainMovementRow, { seen }: Sighting): Promise<Write[]> {
  const isUnsure = row.state === 'UNSURE'
  if (!isUnsure && row.block_hash === seen.blockHash) return []
  const change = {
    block_number: seen.blockNumber,
    block_hash: seen.blockHash,
    log_index: seen.logIndex,
    happened_at: seen.happenedAt,
    updated_at: op.now,
  }
  if (isUnsure)
    return [transition(op, 'chain_movements', CHAIN_MOVEMENT_TRANSITIONS, row, 'book', change).write]
  return [update('chain_movements', row.id, { block_hash: row.block_hash }, change)]
}

async function bookNew(
  op: Op,
  { chain: { network } }: EvmRail,
  chain: ChainRow,
  known: readonly ChainMovementRow[],
  { seen, kind, side, from, to, payment }: Sighting,
): Promise<readonly Write[]> {
  const { rail } = chain
  const toMovementId = (occurrence: number) =>
    deriveMovementId(rail, seen.transactionHash, seen.logIndex, side, occurrence)
  let occurrence = 1
  while (known.some(({ id }) => id === toMovementId(occurrence))) occurrence += 1
  const row: ChainMovementRow = {
    id: toMovementId(occurrence),
    platform_id: op.platform.id,
    rail,
    currency: seen.currency,
    token: seen.token,
    transaction_hash: seen.transactionHash,
    log_index: seen.logIndex,
    block_number: seen.blockNumber,
    block_hash: seen.blockHash,
    happened_at: seen.happenedAt,
    sender: seen.sender,
    recipient: seen.recipient,
    amount: seen.amount,
    kind,
    item_id: payment?.id ?? null,
    state: CHAIN_MOVEMENT_INITIAL,
    booked_at: seen.happenedAt > chain.latest_time ? seen.happenedAt : chain.latest_time,
    gone_at: null,
    created_at: op.now,
    updated_at: op.now,
  }
  if (kind === 'DEPOSIT' && to) return creditDeposit(op, row, occurrence, to)
  if (kind === 'FROM_COLD' && from) return bookReturn(op, network, row, from)
  if (kind === 'COLD_IN' || kind === 'COLD_OUT') alertColdTransfer(op, row)
  if (payment)
    return [
      ...(await guardNotFailed(op, payment.id)),
      insert('chain_movements', row),
      ...(kind === 'TO_COLD'
        ? bookMovement(op, toMovedMoney(row, payment.payment_id), 'TO_COLD_STORAGE')
        : []),
    ]
  if (kind !== 'SPENT' || !from) return [insert('chain_movements', row)]
  const { itemId, writes } = await recordOutflow(op, row, from)
  return [insert('chain_movements', { ...row, item_id: itemId }), ...writes]
}

/**
 * Guards against the payment having failed in the meantime: its transfer would then be a spend by the key's
 * owner.
 */
async function guardNotFailed(op: Op, paymentId: string): Promise<Write[]> {
  const payment = await selectPayment(op, paymentId)
  if (!payment || payment.state === 'FAILED')
    throw new Error(
      `Payment ${paymentId} failed while its transfer was being booked. The transfer is examined again.`,
    )
  return [expectRow('chain_payments', paymentId, { state: payment.state })]
}

/**
 * Credits an incoming transfer to the owner of its address. Transfers to the treasury belong to the platform.
 */
export async function creditDeposit(
  op: Op,
  row: ChainMovementRow,
  occurrence: number,
  to: { readonly role: string; readonly owner_id: string | null },
): Promise<readonly Write[]> {
  const reference = `${row.transaction_hash}:${row.log_index}`
  const report = {
    depositId: occurrence === 1 ? reference : `${reference}:${occurrence}`,
    depositAccountId: row.recipient,
    amount: { value: String(row.amount), currency: row.currency },
    ...(row.sender === ZERO_ADDRESS
      ? {}
      : { sender: { accountIdentifier: toChecksumAddress(row.sender.slice(2)) } }),
    receivedAt: row.happened_at.toISOString(),
  }
  const paidTo = to.owner_id ?? (to.role === 'TREASURY' ? op.platform.id : undefined)
  const deposit = await recordDeposit(op, row.rail, report, row.amount, paidTo)
  return [insert('chain_movements', { ...row, item_id: deposit.row.id }), ...deposit.writes]
}
