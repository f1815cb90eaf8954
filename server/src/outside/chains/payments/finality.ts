import type { Op } from '../../../kernel/operation/app.ts'
import type { ChainReceipt } from '../../../kernel/ports/chain-nodes.ts'
import type { Write } from '../../../storage/commit/writes.ts'
import type { ChainPaymentRow, ChainTransactionRow } from '../../../storage/rows/chain.ts'
import type { ChainWorker } from '../evm-rail.ts'
import { findAuthorizationUse, hasPaidPayee } from './authorization-uses.ts'
import type { ConfirmedPosition } from './confirmed.ts'
import { judgeReceipt } from './judge-receipt.ts'
import { markFailed, markPaid, retryPayment } from './outcome.ts'
import { selectPayment } from './store.ts'

/** The writes that end a payment whose transaction is confirmed. */
export type Ending = readonly Write[]

/** The limit for a plain token that accepts transfers but moves nothing. */
const ATTEMPTS_MAX = 5

/**
 * Ends a payment by the confirmed transaction that carried it; without a receipt, a different transaction has
 * used the nonce. Undefined while the outcome is unclear. Throws NodeError.
 */
export async function findEnding(
  worker: ChainWorker,
  op: Op,
  row: ChainTransactionRow,
  confirmed: ConfirmedPosition,
  receipt: ChainReceipt | undefined,
): Promise<Ending | undefined> {
  const payment = row.payment_id === null ? undefined : await selectPayment(op, row.payment_id)
  if (payment?.state !== 'SENT' || payment.transaction_id !== row.id) return []
  if (receipt) {
    const proofs = await judgeReceipt(op, payment.rail, payment, receipt)
    if (proofs.payment === 'made' && (proofs.fee ?? 'made') === 'made')
      return markPaid(op, payment, { hash: receipt.transactionHash, block: receipt.blockNumber })
  }
  return payment.nonce === null
    ? endPlain(worker, op, payment, receipt, confirmed)
    : endAuthorized(worker, op, payment, confirmed)
}

async function endAuthorized(
  { rail }: ChainWorker,
  op: Op,
  payment: ChainPaymentRow,
  confirmed: ConfirmedPosition,
): Promise<Ending | undefined> {
  const use = await findAuthorizationUse(op, rail, payment, 'payment', confirmed.number)
  switch (use.outcome) {
    case 'made':
      return payment.fee_nonce === null
        ? markPaid(op, payment, use)
        : retryPayment(op, payment, 'The fee has not been collected yet.')
    // The next run finds out how it ended.
    case 'cancelled':
    case 'used-otherwise':
    case 'unused':
      return retryPayment(op, payment, 'The transaction did not make the transfer.')
    case 'unclear':
      return undefined
  }
}

/**
 * Ends a plain transfer that was not made as intended. A reverted transfer has no effect, so it is retried. A
 * person must review the payment if a different amount was moved, because a retry would pay twice, or if
 * another transaction has used the nonce, because a single node is not trusted to report that ours is in no
 * block.
 */
async function endPlain(
  { app, rail }: ChainWorker,
  op: Op,
  payment: ChainPaymentRow,
  receipt: ChainReceipt | undefined,
  confirmed: ConfirmedPosition,
): Promise<Ending | undefined> {
  if (!receipt && rail.entry.agreement !== 2) return undefined
  if (receipt && hasPaidPayee(payment, receipt)) {
    const { transactionHash } = receipt
    app.metrics.chainAlert(rail.name, 'work')
    app.log.error(
      { rail: rail.name, paymentId: payment.payment_id, transactionHash },
      'payment moved a different amount: not sent again',
    )
    return undefined
  }
  return payment.attempts < ATTEMPTS_MAX
    ? retryPayment(op, payment, 'The transaction did not make the transfer.')
    : markFailed(op, payment, 'The token accepted the transfers but moved nothing.', confirmed)
}
