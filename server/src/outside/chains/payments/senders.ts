import type { Hex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { decide } from '../../../money/rails/rail-worker.ts'
import { insert } from '../../../storage/commit/writes.ts'
import type { ChainAddressRow, ChainTransactionRow } from '../../../storage/rows/chain.ts'
import { buildAddressRow } from '../address-rows.ts'
import { type ChainWorker, listGasNames } from '../evm-rail.ts'
import { pathOf } from '../formats/paths.ts'
import { deriveAddressId } from '../ids.ts'
import { selectLastNonce, selectSenders, selectUnmined } from './store.ts'
import { computeCostMax } from './transactions.ts'

/** Nodes accept about this many pending transactions per account. */
export const OPEN_MAX = 64

/** An account that sends transactions, and its remaining capacity. */
export interface Sender {
  readonly address: ChainAddressRow
  /** The number of its transactions that are not in a block yet. */
  open: number
  nextNonce: bigint
  /** Wei left after its open transactions. */
  coin: bigint
}

/**
 * The treasury and its retired addresses, which pay plain tokens, and the gas accounts, which relay
 * authorizations.
 */
export interface Senders {
  readonly treasuries: readonly Sender[]
  readonly gas: readonly Sender[]
}

/** Reads the accounts that the payments need. Throws NodeError. */
export async function readSenders(
  worker: ChainWorker,
  op: Op,
  needs: { readonly treasuries: ReadonlySet<Hex>; readonly gas: boolean },
): Promise<Senders> {
  const { rail } = worker
  const rows = await recordSenders(worker, op)
  const open = await selectUnmined(op, rail.name)
  const getSender = (address: ChainAddressRow): Promise<Sender> =>
    readSender(
      worker,
      op,
      address,
      open.filter((row) => row.sender_id === address.id),
    )
  const names = listGasNames(rail.entry).map((name) => deriveAddressId(rail.name, name))
  const [treasuries, gas] = await Promise.all([
    Promise.all(rows.filter(({ address }) => needs.treasuries.has(address)).map(getSender)),
    Promise.all(needs.gas ? rows.filter(({ id }) => names.includes(id)).map(getSender) : []),
  ])
  return { treasuries, gas }
}

async function readSender(
  { rail }: ChainWorker,
  op: Op,
  address: ChainAddressRow,
  open: readonly ChainTransactionRow[],
): Promise<Sender> {
  const [last, count, coin] = await Promise.all([
    selectLastNonce(op, rail.name, address.address),
    rail.nodes.transactionCount(address.address, 'latest'),
    rail.nodes.nativeBalance(address.address),
  ])
  // The chain can be ahead only if the key was used elsewhere.
  const next = last === undefined ? count : last + 1n
  return {
    address,
    open: open.length,
    nextNonce: next > count ? next : count,
    coin: coin - open.reduce((sum, row) => sum + computeCostMax(row), 0n),
  }
}

/** Returns the sending accounts, and first creates the records of any that were added to the rails file. */
async function recordSenders(worker: ChainWorker, op: Op): Promise<ChainAddressRow[]> {
  const { rail } = worker
  const rows = await selectSenders(op, rail.name)
  const added = listGasNames(rail.entry).filter((account) =>
    rows.every(({ id }) => id !== deriveAddressId(rail.name, account)),
  )
  if (added.length === 0) return rows
  await decide(worker, async (from) =>
    added.map((purpose) => {
      const path = pathOf(rail.name, 'GAS', purpose)
      const address = from.enclave.chainAddress(path)
      const row = buildAddressRow(rail.name, from, { purpose, address, role: 'GAS', path, ownerId: null })
      return insert('chain_addresses', row)
    }),
  )
  return selectSenders(op, rail.name)
}

/**
 * Chooses the account for the next transaction, which costs at most `cost` wei: the least busy account that
 * can pay for it. `no-coin` if every account with capacity has too little coin, `busy` if none has capacity.
 */
export function chooseSender(senders: readonly Sender[], cost: bigint): Sender | 'no-coin' | 'busy' {
  const free = senders.filter(({ open }) => open < OPEN_MAX)
  const [first, ...others] = free.filter(({ coin }) => coin >= cost)
  if (!first) return free.length > 0 || senders.length === 0 ? 'no-coin' : 'busy'
  return others.reduce((best, sender) => (sender.open < best.open ? sender : best), first)
}
