import { addSeconds, type Op } from '../../../kernel/operation/app.ts'
import type { ChainFees } from '../../../kernel/ports/chain-nodes.ts'
import { createRailOp } from '../../../money/rails/rail-worker.ts'
import { update } from '../../../storage/commit/writes.ts'
import type { ChainTransactionRow } from '../../../storage/rows/chain.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { raiseFees, readFeeLimit } from '../fees.ts'
import { broadcastTransactions } from './broadcast.ts'
import { getMemory } from './memory.ts'
import { selectAddress, selectUnmined } from './store.ts'
import { getLatestAttempt, readAttemptCoin, readAttemptFees, signTransaction } from './transactions.ts'

const STUCK_SECONDS = 60
/**
 * Nodes drop transactions and responses get lost, so a transaction that is in no block is sent again after
 * this time.
 */
const RESEND_MS = 5_000
/**
 * Fees that a node calls too low are raised only after this time, because the node may mean an earlier form
 * of the transaction.
 */
const UNDERPRICED_SECONDS = 2

/**
 * Resends transactions that a node may not have, and replaces stuck ones with a form that has the same nonce
 * and content and higher fees. The new form is committed before it is sent.
 */
export async function bumpStuckPayments(worker: ChainWorker): Promise<void> {
  const op = await createRailOp(worker)
  const rows = await selectUnmined(op, worker.rail.name)
  if (rows.length === 0) return
  const { sentAt } = getMemory(worker.rail)
  const stuck = rows.filter((row) => isStuck(worker, op, row))
  const replaced =
    stuck.length === 0 ? [] : await replaceStuckTransactions(worker, op, stuck, findFirstBySender(rows))
  const byId = new Map(replaced.map((row) => [row.id, row]))
  const isDue = ({ id }: ChainTransactionRow) =>
    byId.has(id) || (sentAt.get(id) ?? Number.NEGATIVE_INFINITY) < performance.now() - RESEND_MS
  await broadcastTransactions(
    worker,
    rows.filter(isDue).map((row) => byId.get(row.id) ?? row),
  )
}

/** The first transaction of each sender. The others wait for it. */
function findFirstBySender(rows: readonly ChainTransactionRow[]): ReadonlySet<string> {
  return new Set(rows.filter((row, index) => rows[index - 1]?.sender !== row.sender).map(({ id }) => id))
}

function isStuck({ rail }: ChainWorker, { now }: Op, row: ChainTransactionRow): boolean {
  const isUnderpriced = getMemory(rail).underpriced.has(row.id)
  const seconds = isUnderpriced ? UNDERPRICED_SECONDS : (rail.entry.fees?.stuckSeconds ?? STUCK_SECONDS)
  return addSeconds(new Date(getLatestAttempt(row).madeAt), seconds) <= now
}

/**
 * Commits new forms of transactions that are stuck because of their fees, and returns the updated
 * transactions. Guards against another process having replaced them.
 */
async function replaceStuckTransactions(
  worker: ChainWorker,
  op: Op,
  rows: readonly ChainTransactionRow[],
  firstIds: ReadonlySet<string>,
): Promise<ChainTransactionRow[]> {
  const { app, rail } = worker
  const memory = getMemory(rail)
  const fees = await rail.nodes.fees()
  const chosen = rows.filter(
    (row) => firstIds.has(row.id) || memory.underpriced.has(row.id) || isBelowBaseFee(row, fees),
  )
  const replaced: ChainTransactionRow[] = []
  let exceedsLimit = false
  for (const row of chosen) {
    const offered = raiseFees(readAttemptFees(getLatestAttempt(row)), fees, readFeeLimit(rail.entry))
    exceedsLimit ||= !offered
    const sender = offered && (await selectAddress(op, row.sender_id))
    if (!offered || !sender) continue
    const next = signTransaction(op, rail, sender.path, row, offered, readAttemptCoin(getLatestAttempt(row)))
    const attempts = [...row.attempts, next]
    // Always later than before, so that another process's guard detects the change.
    const updatedAt = new Date(Math.max(op.now.getTime(), row.updated_at.getTime() + 1))
    const guard = { state: row.state, updated_at: row.updated_at }
    const change = { attempts, updated_at: updatedAt }
    const { done } = await app.commit(op, [update('chain_transactions', row.id, guard, change)])
    if (!done) continue
    memory.underpriced.delete(row.id)
    replaced.push({ ...row, ...change })
  }
  if (exceedsLimit) {
    app.metrics.chainAlert(rail.name, 'fee-limit')
    app.log.warn({ rail: rail.name }, 'cannot bump stuck transaction: fee limit reached')
  }
  return replaced
}

/** True if the transaction offers less than the next block requires. */
function isBelowBaseFee(row: ChainTransactionRow, { baseFeePerGas }: ChainFees): boolean {
  return readAttemptFees(getLatestAttempt(row)).maxFee < baseFeePerGas
}
