import type { sandboxSend } from '@countersign/contract/sandbox/sandbox-send'
import { createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { findTransaction, toTransactionView } from '../../kernel/transactions/transactions.ts'
import { checkExecutable } from './execute-quote.ts'
import { receiveFunding } from './funding.ts'
import { findQuote } from './quotes.ts'

export const sandboxSendHandlers: Handlers<typeof sandboxSend> = {
  /** Simulates the customer's payment of a quote with real-time funding (specification 4.12, 4.15). */
  sandbox_send: async (op, { body }) => {
    const quote = await findQuote(op, body.quoteId)
    if (quote.source_account_id !== null)
      throw createFieldError(
        'INVALID_INPUT',
        'quoteId',
        'This quote is paid from an account. Execute it instead.',
      )
    if (body.currencyCode !== quote.sending_currency)
      throw createFieldError(
        'INVALID_CURRENCY',
        'currencyCode',
        `This quote must be paid in ${quote.sending_currency}.`,
      )
    checkExecutable(op, quote)
    const pendingTransaction = await findTransaction(op, quote.transaction_id)
    const amount = body.currencyAmount ?? quote.sending_amount
    const { transaction, writes } = await receiveFunding(
      op,
      quote,
      pendingTransaction,
      amount,
      'currencyAmount',
    )
    return { status: 200, body: toTransactionView(transaction, transaction), writes }
  },
}
