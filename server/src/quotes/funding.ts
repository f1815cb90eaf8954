import { QUOTE_TRANSITIONS } from '@countersign/contract/states'
import type { OUTGOING_FAILURE_REASONS } from '@countersign/contract/transactions'
import type { Op } from '../app.ts'
import type { QuoteRow } from '../db/schema/tables.ts'
import type { Write } from '../db/writes.ts'
import { checkRoom, post } from '../ledger/ledger.ts'
import { ApiError } from '../operation.ts'
import { announceRefund, moveTransaction, newRefund } from '../transactions/moves.ts'
import type { TransactionWithCustomer } from '../transactions/transactions.ts'
import { transition } from '../transition.ts'
import { checkParties } from './execution.ts'
import { refundJob } from './jobs.ts'
import { beginSettlement } from './quotes.ts'
import { fundingLegs } from './settlement.ts'

/**
 * The payment of a quote with real-time funding has arrived; `amount` is in the quote's sending currency. The right
 * amount executes the quote. Any other one fails it and goes back, and so does one for a payer or payee who was deleted
 * meanwhile. Error: 400 `AMOUNT_OUT_OF_RANGE`, naming `field`.
 */
export async function receiveFunding(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  amount: bigint,
  field: string,
): Promise<{ readonly transaction: TransactionWithCustomer; readonly writes: readonly Write[] }> {
  const failureReason = await findFailure(op, quote, amount)
  const kept = failureReason === undefined ? 'clearing' : 'refunds'
  const legs = fundingLegs(quote, kept, amount)
  await checkRoom(op, legs, field)
  const arrived = post(op, { cause: 'quote', causeId: quote.id }, legs)
  if (failureReason === undefined) {
    const begun = beginSettlement(op, quote, transaction)
    return { transaction: begun.transaction, writes: [...arrived, ...begun.writes] }
  }
  const failed = moveTransaction(op, transaction, 'fail', {
    failure_reason: failureReason,
    refund: newRefund(op, 'TRANSACTION_FAILED'),
    details: { ...transaction.details, fundedAmount: amount },
  })
  return {
    transaction: failed.row,
    writes: [
      ...arrived,
      transition(op, 'quotes', QUOTE_TRANSITIONS, quote, 'fail').write,
      ...failed.writes,
      announceRefund(op, failed.row),
      refundJob(op, failed.row),
    ],
  }
}

/** Why a payment that arrived does not execute its quote. */
async function findFailure(
  op: Op,
  quote: QuoteRow,
  amount: bigint,
): Promise<(typeof OUTGOING_FAILURE_REASONS)[number] | undefined> {
  if (amount !== quote.sending_amount) return 'FUNDING_AMOUNT_MISMATCH'
  try {
    await checkParties(op, quote)
  } catch (error) {
    if (error instanceof ApiError) return 'QUOTE_EXECUTION_FAILED'
    throw error
  }
}
