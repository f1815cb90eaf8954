import { QUOTE_TRANSITIONS } from '@countersign/contract/states'
import type { Op } from '../app.ts'
import type { QuoteRow } from '../db/tables.ts'
import type { Write } from '../db/writes.ts'
import { type Cause, post } from '../ledger/ledger.ts'
import { announceRefund, moveTransaction, newRefund } from '../transactions/moves.ts'
import type { TransactionWithCustomer } from '../transactions/transactions.ts'
import { transition } from '../transition.ts'
import { refundJob } from './jobs.ts'
import { beginSettlement } from './quotes.ts'

/**
 * The payment of a quote with real-time funding has arrived; `amount` is in the quote's sending currency. The right
 * amount executes the quote. Any other one fails it, and goes back.
 */
export function receiveFunding(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  amount: bigint,
): { readonly transaction: TransactionWithCustomer; readonly writes: readonly Write[] } {
  const cause: Cause = { cause: 'quote', causeId: quote.id }
  const arrived = { system: 'rail', currency: quote.sending_currency, amount: -amount } as const
  const kept = (system: 'clearing' | 'refunds') => ({ system, currency: quote.sending_currency, amount })
  if (amount === quote.sending_amount) {
    const begun = beginSettlement(op, quote, transaction)
    return {
      transaction: begun.transaction,
      writes: [...post(op, cause, [arrived, kept('clearing')]), ...begun.writes],
    }
  }
  const failed = moveTransaction(op, transaction, 'fail', {
    failure_reason: 'FUNDING_AMOUNT_MISMATCH',
    refund: newRefund(op, 'TRANSACTION_FAILED'),
    details: { ...transaction.details, fundedAmount: amount },
  })
  return {
    transaction: failed.row,
    writes: [
      ...post(op, cause, [arrived, kept('refunds')]),
      transition(op, 'quotes', QUOTE_TRANSITIONS, quote, 'fail').write,
      ...failed.writes,
      announceRefund(op, failed.row),
      refundJob(op, failed.row),
    ],
  }
}
