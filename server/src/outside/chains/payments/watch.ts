import type { Hex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { transition } from '../../../kernel/operation/transition.ts'
import type { ChainReceipt } from '../../../kernel/ports/chain-nodes.ts'
import { opOf } from '../../../money/rails/rail-worker.ts'
import type { Write } from '../../../storage/commit/writes.ts'
import type { ChainTransactionRow } from '../../../storage/rows/chain.ts'
import { CHAIN_TRANSACTION_TRANSITIONS } from '../../../storage/rows/states.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { type Confirmed, readConfirmed } from './confirmed.ts'
import { type Ending, findEnding } from './finality.ts'
import { forget, memoryOf } from './memory.ts'
import { selectMined, selectUnmined } from './store.ts'
import { hashesOf } from './transactions.ts'

const MINED_MAX = 1000
/** Transactions per commit. */
const BATCH = 32

/** The state of a set of transactions on the chain, at one head. */
interface Sight {
  readonly confirmed: Confirmed
  readonly receipts: ReadonlyMap<Hex, ChainReceipt>
  /** For each sender with contested nonces, the number of its transactions up to the confirmed block. */
  readonly counts: ReadonlyMap<Hex, bigint>
  /** True if the receipt's block is still on the chain. */
  isCanonical(receipt: ChainReceipt): Promise<boolean>
}

/**
 * Looks for transactions in blocks, and ends those that are deep enough together with their payments.
 * Decisions depend only on the records and the chain.
 */
export async function watch(worker: ChainWorker): Promise<void> {
  const { rail } = worker
  const op = await opOf(worker)
  const rows = [...(await selectUnmined(op, rail.name)), ...(await selectMined(op, rail.name, MINED_MAX))]
  if (rows.length === 0) return
  const memory = memoryOf(rail)
  const head = await rail.nodes.head()
  const confirmed = await readConfirmed(op, rail, head.number)
  const moment = `${head.hash} ${confirmed.number}`
  if (moment === memory.looked) return
  const sight = await readSight(worker, rows, confirmed)
  let isComplete = true
  for (let start = 0; start < rows.length; start += BATCH) {
    const writes: Write[] = []
    const changed: string[] = []
    for (const row of rows.slice(start, start + BATCH)) {
      const change = await changeOf(worker, op, row, sight)
      if (change) writes.push(...change)
      if (change) changed.push(row.id)
    }
    if (writes.length === 0) continue
    const { done } = await worker.app.commit(op, writes)
    isComplete &&= done
    if (done) for (const id of changed) forget(memory, id)
  }
  if (isComplete) memory.looked = moment
}

async function readSight(
  { rail }: ChainWorker,
  rows: readonly ChainTransactionRow[],
  confirmed: Confirmed,
): Promise<Sight> {
  const { contested } = memoryOf(rail)
  const senders = new Set(rows.filter(({ id }) => contested.has(id)).map(({ sender }) => sender))
  // Read the counts first: a transaction counted by then is sure to have a receipt afterwards.
  const counts = new Map<Hex, bigint>()
  for (const sender of senders)
    counts.set(sender, await rail.nodes.transactionCount(sender, confirmed.number))
  const receipts = await rail.nodes.receipts(rows.flatMap(hashesOf))
  const blocks = new Map<bigint, Hex | undefined>()
  return {
    confirmed,
    receipts,
    counts,
    async isCanonical({ blockNumber, blockHash }) {
      if (!blocks.has(blockNumber)) blocks.set(blockNumber, (await rail.nodes.block(blockNumber))?.hash)
      return blocks.get(blockNumber) === blockHash
    },
  }
}

/** The writes for a transaction, or undefined if nothing has changed. */
async function changeOf(
  worker: ChainWorker,
  op: Op,
  row: ChainTransactionRow,
  sight: Sight,
): Promise<readonly Write[] | undefined> {
  const receipt = hashesOf(row)
    .map((hash) => sight.receipts.get(hash))
    .find((one) => one !== undefined)
  if (receipt) return inBlock(worker, op, row, receipt, sight)
  if (row.state === 'MINED') {
    const nothing = {
      transaction_hash: null,
      block_number: null,
      block_hash: null,
      succeeded: null,
      cost: null,
    }
    return [transition(op, 'chain_transactions', CHAIN_TRANSACTION_TRANSITIONS, row, 'unmine', nothing).write]
  }
  const count = sight.counts.get(row.sender)
  return count !== undefined && count > row.nonce ? endOvertaken(worker, op, row, sight.confirmed) : undefined
}

async function inBlock(
  worker: ChainWorker,
  op: Op,
  row: ChainTransactionRow,
  receipt: ChainReceipt,
  sight: Sight,
): Promise<readonly Write[] | undefined> {
  const found = {
    transaction_hash: receipt.transactionHash,
    block_number: receipt.blockNumber,
    block_hash: receipt.blockHash,
    succeeded: receipt.status === 'success',
    cost: String(receipt.gasUsed * receipt.effectiveGasPrice),
  }
  const isNews = row.state === 'OPEN' || row.block_hash !== receipt.blockHash
  const isDeep = receipt.blockNumber <= sight.confirmed.number && (await sight.isCanonical(receipt))
  const ending = isDeep ? await findEnding(worker, op, row, sight.confirmed, receipt) : undefined
  if (ending) return confirmTransaction(op, row, isNews ? ['mine', 'confirm'] : ['confirm'], found, ending)
  return isNews
    ? [transition(op, 'chain_transactions', CHAIN_TRANSACTION_TRANSITIONS, row, 'mine', found).write]
    : undefined
}

/** A foreign transaction has used the nonce, so ours can never be in a block. */
async function endOvertaken(
  worker: ChainWorker,
  op: Op,
  row: ChainTransactionRow,
  confirmed: Confirmed,
): Promise<readonly Write[] | undefined> {
  const { app, rail } = worker
  app.metrics.chainAlert(rail.name, 'work')
  app.log.error(
    { rail: rail.name, account: row.sender, nonce: String(row.nonce) },
    'nonce used by a foreign transaction: the key of this account is used elsewhere',
  )
  const ending = await findEnding(worker, op, row, confirmed, undefined)
  const found = { block_number: confirmed.number, succeeded: false, cost: '0' }
  return ending && confirmTransaction(op, row, ['mine', 'confirm'], found, ending)
}

function confirmTransaction(
  op: Op,
  row: ChainTransactionRow,
  by: readonly ('mine' | 'confirm')[],
  found: Partial<ChainTransactionRow>,
  ending: Ending,
): readonly Write[] {
  const moved = transition(op, 'chain_transactions', CHAIN_TRANSACTION_TRANSITIONS, row, by, found)
  return [moved.write, ...ending]
}
