import type { Write } from '../../db/commit/writes.ts'
import type { ChainPaymentRow, ChainTransactionRow } from '../../db/schema/chain-tables.ts'
import type { Op } from '../../op/app.ts'
import type { ChainReceipt } from '../../ports/chain-nodes.ts'
import { isTransfer, isUse } from '../formats/calls.ts'
import { transferOf } from '../formats/transfers.ts'
import type { ChainDesk } from '../rail.ts'
import { again, failed, paid } from './outcome.ts'
import { selectPayment } from './store.ts'
import { findUse } from './uses.ts'

/** What becomes of a payment whose transaction is confirmed, as writes. */
export type Ending = readonly Write[]

/** A plain token that takes a transfer and moves nothing is given up after so many. */
const ATTEMPTS_MAX = 5

/**
 * The end of a payment, by the confirmed transaction that carried it; without a receipt another transaction has used its nonce.
 * Undefined where it cannot be told yet. Throws NodeError.
 */
export async function ended(
  desk: ChainDesk,
  op: Op,
  row: ChainTransactionRow,
  confirmed: bigint,
  receipt: ChainReceipt | undefined,
): Promise<Ending | undefined> {
  const payment = row.payment_id === null ? undefined : await selectPayment(op, row.payment_id)
  if (payment?.state !== 'SENT' || payment.transaction_id !== row.id) return []
  const block = receipt?.blockNumber
  if (receipt && block !== undefined && hasPaid(payment, receipt))
    return paid(op, payment, { hash: receipt.transactionHash, block })
  return payment.nonce === null
    ? endOfPlain(desk, op, payment, receipt)
    : endOfAuthorized(desk, op, payment, confirmed)
}

/** Whether the token says in a transaction that this payment was made. */
function hasPaid(payment: ChainPaymentRow, { status, logs }: ChainReceipt): boolean {
  if (status !== 'success') return false
  const { token, sender, nonce } = payment
  return logs.some((log) =>
    nonce === null ? isTransfer(log, token, payment) : isUse(log, token, sender, nonce),
  )
}

/** Whether the token says in a transaction that the sender has paid the payee, whatever amount. */
function hasMoved({ token, sender, recipient }: ChainPaymentRow, { status, logs }: ChainReceipt): boolean {
  return logs.some((log) => {
    const transfer = status === 'success' && log.address === token ? transferOf(log) : undefined
    return transfer?.sender === sender && transfer.recipient === recipient && transfer.amount > 0n
  })
}

async function endOfAuthorized(
  { rail }: ChainDesk,
  op: Op,
  payment: ChainPaymentRow,
  confirmed: bigint,
): Promise<Ending | undefined> {
  const use = await findUse(rail, payment, confirmed)
  switch (use.is) {
    // The next look finds out whether a fee is left.
    case 'used':
      return payment.fee_nonce === null
        ? paid(op, payment, use)
        : again(op, payment, 'Somebody else has sent it')
    case 'cancelled':
      return failed(op, payment, 'The authorization was cancelled')
    case 'unused':
      return again(op, payment, 'The transaction has not paid')
    case 'unclear':
      return undefined
  }
}

/**
 * The end of a plain transfer that has not paid as it should. One that was reverted counts no more, so another may take its place. A
 * person has to look where it has moved something else, as a token with a fee does, because another one would pay twice; and where
 * somebody else has used its nonce, because one node alone is not believed that ours is in no block.
 */
async function endOfPlain(
  { app, rail }: ChainDesk,
  op: Op,
  payment: ChainPaymentRow,
  receipt: ChainReceipt | undefined,
): Promise<Ending | undefined> {
  if (!receipt && rail.entry.agreement !== 2) return undefined
  if (receipt && hasMoved(payment, receipt)) {
    const { transactionHash } = receipt
    app.metrics.chainAlert(rail.name, 'work')
    app.log.error(
      { rail: rail.name, paymentId: payment.payment_id, transactionHash },
      'a payment has moved something else than its amount: it is not sent again',
    )
    return undefined
  }
  return payment.attempts < ATTEMPTS_MAX
    ? again(op, payment, 'The transaction has not paid')
    : failed(op, payment, 'The token has moved nothing')
}
