import { createRailOp } from '../../../money/rails/rail-worker.ts'
import { insert } from '../../../storage/commit/writes.ts'
import type { ChainAddressRow } from '../../../storage/rows/chain.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { chooseFees, readFeeLimit } from '../fees.ts'
import { computeTransferCost } from '../transfer-fee.ts'
import { broadcastTransactions } from './broadcast.ts'
import { readSenders } from './senders.ts'
import { hasOpenWork } from './store.ts'
import { newTransaction } from './transactions.ts'

/** Gas for a coin transfer to an address that is not a contract. */
const GAS = 21_000n
/**
 * The retired address keeps enough coin for this many transfers, so that plain tokens that arrive later can
 * be forwarded.
 */
const TRANSFERS_KEPT = 10

/**
 * Sends a retired treasury address's coin, which is not part of the ledger, to the current address once
 * nothing else has to be sent from there. The retired address keeps some coin for rising fees and for plain
 * tokens that arrive later. Guards against the nonce having been used.
 */
export async function sweepRetiredCoin(worker: ChainWorker, from: ChainAddressRow): Promise<void> {
  const { rail, app } = worker
  const { entry, name, treasury, nodes } = rail
  const op = await createRailOp(worker)
  if (await hasOpenWork(op, name, from.address)) return
  const coin = await nodes.nativeBalance(from.address)
  if (coin === 0n) return
  const chainFees = await nodes.fees()
  const fees = chooseFees(chainFees, readFeeLimit(entry))
  if (!fees) return
  const isPlain = entry.tokens.some(({ standard }) => standard === 'ERC20')
  const reserve = computeTransferCost(entry, chainFees, 'ERC20', isPlain ? TRANSFERS_KEPT : 1)
  const fee = GAS * fees.maxFee
  const value = coin - reserve - fee
  // An amount below its own fee is not worth sending. This also stops the sweep from repeating with ever
  // smaller amounts.
  if (value < fee) return
  const needs = { treasuries: new Set([from.address]), gas: false }
  const [sender] = (await readSenders(worker, op, needs)).treasuries
  if (!sender) return
  const content = { nonce: sender.nextNonce, recipient: treasury, data: '0x', gas_limit: GAS } as const
  const row = newTransaction(op, rail, from, { ...content, paymentId: null, value }, fees)
  const { done } = await app.commit(op, [insert('chain_transactions', row)])
  if (!done) return
  app.log.info(
    { rail: name, from: from.address, to: treasury, wei: String(value) },
    'sent the coin of a retired treasury address to the current one',
  )
  await broadcastTransactions(worker, [row])
}
