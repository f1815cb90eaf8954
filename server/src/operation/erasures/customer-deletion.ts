import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { selectFilledAccounts, selectOpenPayments } from './customer-deletion-store.ts'

/** The maximum number of obstacles listed per kind in the error. */
const NAMED_MAX = 20

/**
 * Throws 409 `CUSTOMER_NOT_EMPTY`, listing accounts with a balance, and payments and purchases in progress.
 */
export async function checkNothingIsOpen(op: Op, { id }: Pick<CustomerRow, 'id'>): Promise<void> {
  const [filled, transactions, purchases] = await Promise.all([
    selectFilledAccounts(op, id, NAMED_MAX),
    selectOpenPayments(op, id, 'transaction', NAMED_MAX),
    selectOpenPayments(op, id, 'cardTransaction', NAMED_MAX),
  ])
  const accounts = filled.map(({ id, currency, posted, held }) => ({
    id,
    balance: posted - held,
    totalBalance: posted,
    currency,
  }))
  if (accounts.length + transactions.length + purchases.length === 0) return
  throw new ApiError('CUSTOMER_NOT_EMPTY', {
    details: {
      field: 'customerId',
      accounts,
      transactions: transactions.map(({ id, status }) => ({ id, status })),
      cardTransactions: purchases.map(({ id, status, card_id }) => ({ id, status, cardId: card_id })),
    },
  })
}
