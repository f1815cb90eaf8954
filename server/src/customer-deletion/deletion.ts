import { isKnownCurrency } from '@countersign/contract/core/currencies'
import type { CustomerRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import { money } from '../transactions/transactions.ts'
import { selectFilledAccounts, selectOpenPayments } from './store.ts'

/** How many obstacles of each kind are named; the caller clears them and tries again. */
const NAMED_MAX = 20

/** Error: 409 `CONFLICT`, naming accounts with money, and payments and purchases that are under way. */
export async function checkNothingIsOpen(op: Op, { id }: Pick<CustomerRow, 'id'>): Promise<void> {
  const [filled, transactions, purchases] = await Promise.all([
    selectFilledAccounts(op, id, NAMED_MAX),
    selectOpenPayments(op, id, 'transaction', NAMED_MAX),
    selectOpenPayments(op, id, 'cardTransaction', NAMED_MAX),
  ])
  const accounts = filled.map(({ id, currency, posted, held }) => {
    if (!isKnownCurrency(currency)) throw new Error(`An account in ${currency}`)
    return { id, balance: money(posted - held, currency), totalBalance: money(posted, currency) }
  })
  if (accounts.length + transactions.length + purchases.length === 0) return
  throw new ApiError('CONFLICT', {
    message:
      'The customer still has money or payments under way. Empty the accounts and wait for the payments that are named, then delete.',
    details: {
      field: 'customerId',
      accounts,
      transactions: transactions.map(({ id, status }) => ({ id, status })),
      cardTransactions: purchases.map(({ id, status, card_id }) => ({ id, status, cardId: card_id })),
    },
  })
}
