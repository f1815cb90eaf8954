import type { Hex } from '../../../base/formats/hex.ts'
import { toLowerHex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { createRailOp } from '../../../money/rails/rail-worker.ts'
import { buildRotation } from '../../../operation/treasury/movements.ts'
import { insert, update } from '../../../storage/commit/writes.ts'
import type { ChainAddressRow } from '../../../storage/rows/chain.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { deriveRotationId } from '../ids.ts'
import { buildChainPayment } from '../queue.ts'
import { selectTreasuries } from '../store.ts'
import { readTokenBalance } from '../token-balance.ts'
import { sweepRetiredCoin } from './retired-coin.ts'
import { selectMovesFrom, selectUnsigned, sumOpenPaymentAmounts } from './store.ts'

const REASSIGNED_MAX = 64
const EVERY_MS = 5_000

const sweptAtMs = new WeakMap<object, number>()

/**
 * Moves unsigned payments to the current treasury address. Signed payments keep their sender, because the
 * chain may still execute them. Guards against a signature in the meantime.
 */
export async function reassignPayments(worker: ChainWorker): Promise<void> {
  const { rail, app } = worker
  const { treasury, treasuryId, retired } = rail
  if (retired.length === 0) return
  const op = await createRailOp(worker)
  for (const row of await selectUnsigned(op, rail.name, retired, [treasury, ...retired], REASSIGNED_MAX))
    await app.commit(op, [
      update(
        'chain_payments',
        row.id,
        { state: row.state, attempts: 0, sender: row.sender },
        { sender_id: treasuryId, sender: treasury, updated_at: op.now },
      ),
    ])
}

/**
 * Forwards the balances of retired treasury addresses to the current one whenever something arrives there.
 * Amounts that signed payments still need stay behind.
 */
export async function sweepRetiredTreasuries(worker: ChainWorker): Promise<void> {
  const { rail } = worker
  if (rail.retired.length === 0) return
  const nowMs = performance.now()
  if (nowMs < (sweptAtMs.get(rail) ?? Number.NEGATIVE_INFINITY) + EVERY_MS) return
  sweptAtMs.set(rail, nowMs)
  const op = await createRailOp(worker)
  const rows = await selectTreasuries(op.read, rail.name)
  for (const row of rows.filter(({ id }) => id !== rail.treasuryId)) {
    for (const { currency, address } of rail.entry.tokens)
      await sweepToken(worker, op, row, currency, toLowerHex(address))
    await sweepRetiredCoin(worker, row)
  }
}

async function sweepToken(
  { rail, app }: ChainWorker,
  op: Op,
  from: ChainAddressRow,
  currency: string,
  token: Hex,
): Promise<void> {
  const earlier = await selectMovesFrom(op, rail.name, from.address, rail.treasury, currency)
  if (earlier.some(({ state }) => state === 'WAITING' || state === 'SENT')) return
  const followed = rail.followedBlock
  if (followed === undefined) return
  const [confirmed, balance] = await Promise.all([
    readTokenBalance(rail.nodes, token, from.address, followed),
    readTokenBalance(rail.nodes, token, from.address),
  ])
  const needed = await sumOpenPaymentAmounts(op, rail.name, from.address, currency)
  const amount = (balance < confirmed ? balance : confirmed) - needed
  const minimum = rail.entry.sweeps?.find((sweep) => sweep.currency === currency)?.from ?? 1n
  if (amount < minimum) return
  const movement = buildRotation(op, {
    id: op.newId('TreasuryMovement'),
    rail: rail.name,
    network: rail.chain.network,
    address: rail.treasury,
    currency,
    amount,
  })
  const payment = buildChainPayment(rail, {
    // The id is derived, so another process that writes the same transfer first causes a conflict.
    id: deriveRotationId(rail.name, `${from.address} ${rail.treasury} ${currency}`, earlier.length),
    platformId: op.platform.id,
    kind: 'MOVE',
    paymentId: movement.id,
    currency,
    amount,
    from: { id: from.id, address: from.address },
    recipient: rail.treasury,
    now: op.now,
  })
  await app.commit(op, [insert('treasury_movements', movement), insert('chain_payments', payment)])
}
