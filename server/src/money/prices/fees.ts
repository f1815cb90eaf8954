import { CURRENCIES } from '@countersign/contract/core/currencies'
import { findSystemAccounts } from '../../kernel/ledger/balances.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { findTransaction, toMoney } from '../../kernel/transactions/transactions.ts'
import { type FeeRow, selectQuoteByTransfer } from './fee-store.ts'

/**
 * A platform's fees accounts: one per currency in which it has ever charged a fee, or only the one in
 * `currency`.
 */
export async function findFeeAccounts(op: Op, currency: string | undefined) {
  const codes = currency === undefined ? Object.keys(CURRENCIES) : [currency]
  return findSystemAccounts(op, 'fees', codes)
}

/**
 * A fee as the API shows it. It was charged for a quote, a transfer on a chain, or the payment of a
 * withdrawal.
 */
export async function toFeeView(op: Op, { id, amount, currency, cause, cause_id, created_at }: FeeRow) {
  if (cause === 'transaction') {
    const { customer_id } = await findTransaction(op, cause_id)
    return {
      id,
      amount: toMoney(amount, currency),
      transactionId: cause_id,
      ...(customer_id === null ? {} : { customerId: customer_id }),
      createdAt: created_at.toISOString(),
    }
  }
  const quote = await selectQuoteByTransfer(op, id)
  if (!quote) throw new Error(`The fee ${id} does not belong to a quote`)
  return {
    id,
    amount: toMoney(amount, currency),
    quoteId: quote.quote_id,
    transactionId: quote.transaction_id,
    ...(quote.customer_id === null ? {} : { customerId: quote.customer_id }),
    createdAt: created_at.toISOString(),
  }
}
