import type { TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'

/** The payment of an action, existing or about to be created. */
export interface ActionPayment {
  readonly transaction: TransactionWithCustomer
  readonly quote: QuoteRow | undefined
}
