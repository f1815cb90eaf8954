import type { Op } from '../../../kernel/operation/app.ts'
import { transition } from '../../../kernel/operation/transition.ts'
import { type ChainReceipt, toBlockTime } from '../../../kernel/ports/chain-nodes.ts'
import { applyEvent } from '../../../money/rail-events/apply-evidence.ts'
import { recordOnce, recordReport } from '../../../money/rail-events/rail-events.ts'
import { requireDeposit } from '../../../money/rails/deposit-rows.ts'
import { createRailOp } from '../../../money/rails/rail-worker.ts'
import { update, type Write } from '../../../storage/commit/writes.ts'
import type { ChainMovementRow, ChainRow } from '../../../storage/rows/chain.ts'
import {
  CHAIN_MOVEMENT_TRANSITIONS,
  CHAIN_PAYMENT_TRANSITIONS,
  CHAIN_TRANSACTION_TRANSITIONS,
  type ChainMovementEvent,
} from '../../../storage/rows/states.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { isSameTransfer, parseTransfer } from '../formats/transfers.ts'
import { findChain } from '../records.ts'
import { reverseColdTransfer } from './cold-transfers.ts'
import { commitAtCursor } from './credit-transfers.ts'
import { closeColdStorage } from './open-cold-storage.ts'
import { selectBookedAbove, selectDoneAbove, selectMovement, selectPaidAbove, selectUnsure } from './store.ts'
import { findCommonBlock } from './stored-blocks.ts'
import { undoOutflow } from './unexplained-outflows.ts'

/** Maximum records per write set. */
const BATCH = 200
/** Maximum movements settled per run. */
const SETTLED_MAX = 100

/**
 * If the last followed block was reorged away, raises an alert, marks everything booked above the last common
 * block as unsure, and follows the chain again from there. Returns the updated chain, or undefined if the
 * work has to continue later.
 */
export async function rewindAfterReorg(worker: ChainWorker, chain: ChainRow): Promise<ChainRow | undefined> {
  const { app, rail } = worker
  const block = await rail.nodes.block(chain.followed_block)
  if (!block) return undefined
  if (block.hash === chain.followed_hash) return chain
  const { followed_block: from, followed_hash: hash } = chain
  app.metrics.chainAlert(rail.name, 'reorganisation')
  app.log.error({ rail: rail.name, block: String(from), hash }, 'chain reorganized confirmed blocks')
  const common = await findCommonBlock(await createRailOp(worker), worker, chain)
  if (!common) throw new Error('The chain no longer contains any of the stored blocks')
  const { number } = common.block
  const undoSteps = [markUnsure, reopenTransactions, reopenPayments] as const
  for (const undo of undoSteps) if (!(await undoInBatches(worker, chain, number, undo))) return undefined
  let updated: ChainRow | undefined
  const isUnchanged = await commitAtCursor(worker, chain, async (op, current) => {
    const change = {
      followed_block: number,
      followed_hash: common.block.hash,
      followed_time: toBlockTime(common.block),
      updated_at: op.now,
    }
    const reopened = await closeColdStorage(op, current, number)
    updated = { ...current, ...change, ...reopened.change }
    const guard = { followed_block: from, followed_hash: hash }
    return [
      update('chains', chain.id, guard, { ...change, ...reopened.change }),
      ...reopened.writes,
      ...(await reportLostFinality(op, chain, number)),
    ]
  })
  rail.followedBlock = number
  return isUnchanged ? updated : undefined
}

/** Undoes finality above a block in batches. Returns false if the cursor has moved. */
async function undoInBatches(
  worker: ChainWorker,
  chain: ChainRow,
  above: bigint,
  undo: (op: Op, rail: string, above: bigint) => Promise<Write[]>,
): Promise<boolean> {
  for (let count = 1; count > 0; ) {
    const isUnchanged = await commitAtCursor(worker, chain, async (op) => {
      const writes = await undo(op, worker.rail.name, above)
      count = writes.length
      return writes
    })
    if (!isUnchanged) return false
  }
  return true
}

async function markUnsure(op: Op, rail: string, above: bigint): Promise<Write[]> {
  const rows = await selectBookedAbove(op, rail, above, BATCH)
  return rows.map((row) => transitionMovement(op, row, 'doubt'))
}

/** Reopens our transactions: they are sent again with the same nonces and looked for in blocks again. */
async function reopenTransactions(op: Op, rail: string, above: bigint): Promise<Write[]> {
  const rows = await selectDoneAbove(op, rail, above, BATCH)
  const noBlock = {
    transaction_hash: null,
    block_number: null,
    block_hash: null,
    succeeded: null,
    cost: null,
  }
  return rows.map(
    (row) => transition(op, 'chain_transactions', CHAIN_TRANSACTION_TRANSITIONS, row, 'lose', noBlock).write,
  )
}

/**
 * Reopens payments, including the transactions that carry them. Nothing is refunded, because signed
 * transactions remain valid.
 */
async function reopenPayments(op: Op, rail: string, above: bigint): Promise<Write[]> {
  const rows = await selectPaidAbove(op, rail, above, BATCH)
  const change = {
    transaction_hash: null,
    block_number: null,
    due_at: op.now,
    note: 'The block of its transaction was reorganized away.',
  }
  return rows.map(({ isCarried, ...row }) => {
    const by = isCarried ? (['lose'] as const) : (['lose', 'retry'] as const)
    return transition(op, 'chain_payments', CHAIN_PAYMENT_TRANSITIONS, row, by, change).write
  })
}

/** Stores a rail report about the lost finality for manual review. */
async function reportLostFinality(
  op: Op,
  { rail, followed_block, followed_hash }: ChainRow,
  to: bigint,
): Promise<Write[]> {
  const event = {
    id: `reorganisation-${followed_block}-${followed_hash}`,
    type: 'chain.reorganised',
    data: { fromBlock: String(followed_block), hash: followed_hash, lastSharedBlock: String(to) },
  }
  return recordOnce(op, rail, event, 'CONTRADICTION')
}

/**
 * Reverses every transfer that has not reappeared by the time the chain has been followed to the point before
 * the reorganization. Returns true if no work is left.
 */
export async function settleUnsure(worker: ChainWorker): Promise<boolean> {
  const { rail } = worker
  const op = await createRailOp(worker)
  const chain = await findChain(op, rail.name)
  if (!chain || chain.followed_block < chain.highest_block) return true
  const unsure = await selectUnsure(op, rail.name, SETTLED_MAX)
  if (unsure.length === 0) return true
  const receipts = await rail.nodes.receipts([
    ...new Set(unsure.map(({ transaction_hash }) => transaction_hash)),
  ])
  for (const { id, transaction_hash } of unsure)
    await commitAtCursor(worker, chain, async (current) => {
      const row = await selectMovement(current, id)
      if (row?.state !== 'UNSURE') return []
      return settleMovement(current, chain, row, receipts.get(transaction_hash))
    })
  return unsure.length < SETTLED_MAX
}

async function settleMovement(
  op: Op,
  chain: ChainRow,
  row: ChainMovementRow,
  receipt: ChainReceipt | undefined,
): Promise<readonly Write[]> {
  const log = receipt?.logs.find(
    (candidate) => candidate.address === row.token && isSameTransfer(parseTransfer(candidate), row),
  )
  // It has reappeared in a block that is not deep enough yet.
  if (log && log.blockNumber > chain.followed_block) return []
  if (log) {
    const { blockNumber: block_number, blockHash: block_hash, logIndex: log_index } = log
    return [transitionMovement(op, row, 'book', { block_number, block_hash, log_index })]
  }
  return [
    transitionMovement(op, row, 'lose', { gone_at: chain.latest_time }),
    ...(await reverseMovement(op, row)),
  ]
}

function transitionMovement(
  op: Op,
  row: ChainMovementRow,
  by: ChainMovementEvent,
  change: Partial<ChainMovementRow> = {},
): Write {
  return transition(op, 'chain_movements', CHAIN_MOVEMENT_TRANSITIONS, row, by, change).write
}

/** Reverses the effect of a lost transfer. Our own payments have been reopened by then. */
async function reverseMovement(op: Op, row: ChainMovementRow): Promise<readonly Write[]> {
  if (row.kind === 'TO_COLD' || row.kind === 'FROM_COLD') return reverseColdTransfer(op, row)
  if (row.kind === 'SPENT') return undoOutflow(op, row)
  return row.kind === 'DEPOSIT' && row.item_id !== null ? reportReversal(op, row, row.item_id) : []
}

async function reportReversal(op: Op, { id, rail }: ChainMovementRow, depositId: string): Promise<Write[]> {
  const { rail_reference } = await requireDeposit(op, depositId)
  const report = {
    id: `gone-${id}`,
    type: 'deposit.reversed',
    occurredAt: op.now.toISOString(),
    data: {
      depositId: rail_reference,
      failure: {
        code: 'COUNTERPARTY_POST_TX_FAILED',
        message: 'The block of this transfer was reorganized away.',
      },
    },
  } as const
  const { writes, reason } = await applyEvent(op, rail, report, 'CHAIN')
  return [...writes, ...recordReport(op, rail, report, reason)]
}
