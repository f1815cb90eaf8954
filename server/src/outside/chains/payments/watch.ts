import type { Hex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { transition } from '../../../kernel/operation/transition.ts'
import type { ChainReceipt } from '../../../kernel/ports/chain-nodes.ts'
import { createRailOp } from '../../../money/rails/rail-worker.ts'
import type { Write } from '../../../storage/commit/writes.ts'
import type { ChainTransactionRow } from '../../../storage/rows/chain.ts'
import { CHAIN_TRANSACTION_TRANSITIONS } from '../../../storage/rows/states.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { type ConfirmedPosition, readConfirmed } from './confirmed.ts'
import { type Ending, findEnding } from './finality.ts'
import { forgetTransaction, getMemory } from './memory.ts'
import { selectMined, selectUnmined } from './store.ts'
import { listAttemptHashes } from './transactions.ts'

const MINED_MAX = 1000
/** Transactions per commit. */
const BATCH = 32

/** The chain's view of a set of transactions at one head. */
interface ChainView {
  readonly confirmed: ConfirmedPosition
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
export async function watchTransactions(worker: ChainWorker): Promise<void> {
  const { rail } = worker
  const op = await createRailOp(worker)
  const rows = [...(await selectUnmined(op, rail.name)), ...(await selectMined(op, rail.name, MINED_MAX))]
  if (rows.length === 0) return
  const memory = getMemory(rail)
  const head = await rail.nodes.head()
  const confirmed = await readConfirmed(op, rail, head.number)
  const moment = `${head.hash} ${confirmed.number}`
  if (moment === memory.lastCheck) return
  const view = await readChainView(worker, rows, confirmed)
  let isComplete = true
  for (let start = 0; start < rows.length; start += BATCH) {
    const writes: Write[] = []
    const changed: string[] = []
    for (const row of rows.slice(start, start + BATCH)) {
      const change = await buildChange(worker, op, row, view)
      if (change) writes.push(...change)
      if (change) changed.push(row.id)
    }
    if (writes.length === 0) continue
    const { done } = await worker.app.commit(op, writes)
    isComplete &&= done
    if (done) for (const id of changed) forgetTransaction(memory, id)
  }
  if (isComplete) memory.lastCheck = moment
}

async function readChainView(
  { rail }: ChainWorker,
  rows: readonly ChainTransactionRow[],
  confirmed: ConfirmedPosition,
): Promise<ChainView> {
  const { contested } = getMemory(rail)
  const senders = new Set(rows.filter(({ id }) => contested.has(id)).map(({ sender }) => sender))
  // Read the counts first: a transaction counted by then is sure to have a receipt afterwards.
  const counts = new Map<Hex, bigint>()
  for (const sender of senders)
    counts.set(sender, await rail.nodes.transactionCount(sender, confirmed.number))
  const receipts = await rail.nodes.receipts(rows.flatMap(listAttemptHashes))
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
async function buildChange(
  worker: ChainWorker,
  op: Op,
  row: ChainTransactionRow,
  view: ChainView,
): Promise<readonly Write[] | undefined> {
  const receipt = listAttemptHashes(row)
    .map((hash) => view.receipts.get(hash))
    .find((candidate) => candidate !== undefined)
  if (receipt) return recordInBlock(worker, op, row, receipt, view)
  if (row.state === 'MINED') {
    const noBlock = {
      transaction_hash: null,
      block_number: null,
      block_hash: null,
      succeeded: null,
      cost: null,
    }
    return [transition(op, 'chain_transactions', CHAIN_TRANSACTION_TRANSITIONS, row, 'unmine', noBlock).write]
  }
  const count = view.counts.get(row.sender)
  return count !== undefined && count > row.nonce ? endOvertaken(worker, op, row, view.confirmed) : undefined
}

async function recordInBlock(
  worker: ChainWorker,
  op: Op,
  row: ChainTransactionRow,
  receipt: ChainReceipt,
  view: ChainView,
): Promise<readonly Write[] | undefined> {
  const change = {
    transaction_hash: receipt.transactionHash,
    block_number: receipt.blockNumber,
    block_hash: receipt.blockHash,
    succeeded: receipt.status === 'success',
    cost: String(receipt.gasUsed * receipt.effectiveGasPrice),
  }
  const isNewBlock = row.state === 'OPEN' || row.block_hash !== receipt.blockHash
  const isDeep = receipt.blockNumber <= view.confirmed.number && (await view.isCanonical(receipt))
  const ending = isDeep ? await findEnding(worker, op, row, view.confirmed, receipt) : undefined
  if (ending)
    return confirmTransaction(op, row, isNewBlock ? ['mine', 'confirm'] : ['confirm'], change, ending)
  return isNewBlock
    ? [transition(op, 'chain_transactions', CHAIN_TRANSACTION_TRANSITIONS, row, 'mine', change).write]
    : undefined
}

/** Ends a transaction whose nonce a foreign transaction has used: ours can never be in a block. */
async function endOvertaken(
  worker: ChainWorker,
  op: Op,
  row: ChainTransactionRow,
  confirmed: ConfirmedPosition,
): Promise<readonly Write[] | undefined> {
  const { app, rail } = worker
  app.metrics.chainAlert(rail.name, 'work')
  app.log.error(
    { rail: rail.name, account: row.sender, nonce: String(row.nonce) },
    'nonce used by a foreign transaction: the key of this account is used elsewhere',
  )
  const ending = await findEnding(worker, op, row, confirmed, undefined)
  const change = { block_number: confirmed.number, succeeded: false, cost: '0' }
  return ending && confirmTransaction(op, row, ['mine', 'confirm'], change, ending)
}

function confirmTransaction(
  op: Op,
  row: ChainTransactionRow,
  by: readonly ('mine' | 'confirm')[],
  change: Partial<ChainTransactionRow>,
  ending: Ending,
): readonly Write[] {
  const moved = transition(op, 'chain_transactions', CHAIN_TRANSACTION_TRANSITIONS, row, by, change)
  return [moved.write, ...ending]
}
