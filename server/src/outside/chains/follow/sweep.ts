import type { Hex } from '../../../base/formats/hex.ts'
import { addSeconds, type Op } from '../../../kernel/operation/app.ts'
import { createRailOp } from '../../../money/rails/rail-worker.ts'
import { insert, update } from '../../../storage/commit/writes.ts'
import type { ChainPaymentRow } from '../../../storage/rows/chain.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { deriveSweepId } from '../ids.ts'
import { buildChainPayment } from '../queue.ts'
import { findChain } from '../records.ts'
import { readTokenBalance } from '../token-balance.ts'
import { selectFailedSweeps, selectRecentMovements, selectSweepable, selectSweeps } from './store.ts'

const EVERY_SECONDS = 2
/** Movements are written in chronological order, but a slow transaction may commit up to this much later. */
const LATE_SECONDS = 60
const MOVED_MAX = 1_000
/** Delay before an address is swept again after a failed sweep. */
const RETRY_SECONDS = 3_600

/**
 * Moves balances of deposit addresses to the treasury if they are worth the gas. Checks addresses with
 * movements since the last run, and addresses whose sweep failed an hour ago. A sweep is a payment from its
 * address to the treasury; each address has at most one at a time.
 */
export async function sweepDeposits(worker: ChainWorker): Promise<void> {
  const { rail, app } = worker
  const { sweeps = [] } = rail.entry
  const op = await createRailOp(worker)
  const chain = await findChain(op, rail.name)
  if (sweeps.length === 0 || !chain || op.now < addSeconds(chain.swept_at, EVERY_SECONDS)) return
  const since = addSeconds(chain.swept_at, -LATE_SECONDS)
  const [from, to] = [addSeconds(since, -RETRY_SECONDS), addSeconds(op.now, -RETRY_SECONDS)]
  const [moved, failed] = await Promise.all([
    selectRecentMovements(op, rail.name, since, MOVED_MAX),
    selectFailedSweeps(op, rail.name, from, to, MOVED_MAX),
  ])
  if (moved.length === 0 && failed.length === 0) return
  const candidates = [
    ...new Set([
      ...moved.flatMap(({ sender, recipient }) => [sender, recipient]),
      ...failed.map(({ sender }) => sender),
    ]),
  ]
  for (const { currency, from: minimum } of sweeps)
    await sweepCurrency(worker, op, currency, minimum, candidates)
  // If there are more rows than one run reads, the next run continues after the last row read.
  const [lastMoved, lastFailed] = [moved[MOVED_MAX - 1], failed[MOVED_MAX - 1]]
  const ends = [
    op.now,
    ...(lastMoved ? [addSeconds(lastMoved.created_at, LATE_SECONDS)] : []),
    ...(lastFailed ? [addSeconds(lastFailed.updated_at, RETRY_SECONDS + LATE_SECONDS)] : []),
  ]
  const until = ends.reduce((first, end) => (end < first ? end : first))
  await app.commit(op, [update('chains', chain.id, { swept_at: chain.swept_at }, { swept_at: until })])
}

async function sweepCurrency(
  { rail, app }: ChainWorker,
  op: Op,
  currency: string,
  minimum: bigint,
  candidates: readonly Hex[],
): Promise<void> {
  const sweepable = await selectSweepable(op, rail.name, currency, candidates, minimum)
  if (sweepable.length === 0) return
  const addresses = sweepable.map(({ address }) => address)
  const earlier = await selectSweeps(op, rail.name, addresses)
  const token = rail.chain.token(currency).address
  for (const { id: addressId, address, held } of sweepable) {
    const previousSweeps = earlier.filter(({ sender }) => sender === address)
    if (previousSweeps.some((row) => isBlocking(op, row))) continue
    // While a payment is in progress, the balance on the chain may be lower than the ledger's. It may also be
    // higher, because not all of it is confirmed.
    const balance = await readTokenBalance(rail.nodes, token, address)
    const amount = balance < held ? balance : held
    if (amount < minimum) continue
    const id = deriveSweepId(rail.name, address, previousSweeps.length)
    const row = buildChainPayment(rail, {
      id,
      platformId: op.platform.id,
      kind: 'SWEEP',
      paymentId: id,
      currency,
      amount,
      from: { id: addressId, address },
      recipient: rail.chain.treasury,
      now: op.now,
    })
    // Has no effect if another process has already inserted this row.
    await app.commit(op, [insert('chain_payments', row)])
  }
}

/** True if an earlier sweep is in progress or failed recently. */
function isBlocking({ now }: Op, { state, updated_at }: ChainPaymentRow): boolean {
  if (state === 'FAILED') return now < addSeconds(updated_at, RETRY_SECONDS)
  return state !== 'PAID'
}
