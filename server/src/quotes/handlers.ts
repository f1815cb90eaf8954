import type { quote_create, quote_execute, quote_get } from '@countersign/contract/quotes'
import { findInternalAccount } from '../accounts/accounts.ts'
import type { Op } from '../app.ts'
import { findCustomer } from '../customers/customers.ts'
import type { QuoteRow } from '../db/tables.ts'
import { findExternalAccount } from '../external-accounts/external-accounts.ts'
import { ApiError, fieldError, type Handler, type SignedHandler } from '../operation.ts'
import { findTransaction } from '../transactions/transactions.ts'
import { checkBalance, createQuote } from './create.ts'
import { checkExecutable, executeQuote, findQuote, quoteView } from './quotes.ts'
import { selectPayload } from './store.ts'

export const quoteCreate: Handler<typeof quote_create> = async (op, { body }) => {
  const { quote, payloadToSign, writes } = await createQuote(op, body)
  return { status: 201, body: quoteView(op, quote, payloadToSign), writes }
}

export const quoteGet: Handler<typeof quote_get> = async (op, { params }) => ({
  status: 200,
  body: await viewOf(op, await findQuote(op, params.quoteId)),
})

export const quoteExecute: SignedHandler<typeof quote_execute> = {
  async authorize(op, { params }, isSigned) {
    const quote = await findQuote(op, params.quoteId)
    checkIsPaidFromAccount(quote)
    if (quote.signing_request_id === null) return null
    // With a signature, the request it answers says whether it was used or has expired.
    if (!isSigned) {
      checkExecutable(op, quote)
      await checkParties(op, quote)
      await checkBalance(op, quote)
    }
    return { requestId: quote.signing_request_id }
  },

  async handle(op, { params, approval }) {
    const quote = await findQuote(op, params.quoteId)
    checkIsPaidFromAccount(quote)
    if (quote.signing_request_id !== (approval?.requestId ?? null))
      throw new ApiError('WALLET_SIGNATURE_BODY_MISMATCH', { reason: 'The signature is for another quote' })
    checkExecutable(op, quote)
    await checkParties(op, quote)
    await checkBalance(op, quote)
    const account = await findInternalAccount(op, quote.source_account_id!)
    const executed = executeQuote(op, account, quote, await findTransaction(op, quote.transaction_id))
    return { status: 200, body: await viewOf(op, executed.quote), writes: executed.writes }
  },
}

/** A quote that is paid in executes itself, when its money arrives. */
function checkIsPaidFromAccount(quote: QuoteRow): void {
  if (quote.source_account_id === null)
    throw fieldError(
      'INVALID_INPUT',
      'quoteId',
      'This quote executes itself when the payment of its paymentInstructions arrives.',
    )
}

/** Both sides are still there. Errors: 410 `CUSTOMER_DELETED`, 404 `ACCOUNT_NOT_FOUND`. */
async function checkParties(op: Op, quote: QuoteRow): Promise<void> {
  await findCustomer(op, quote.customer_id, 'quoteId')
  const destination = quote.destination_account_id
  if (destination?.startsWith('ExternalAccount:')) await findExternalAccount(op, destination, 'quoteId')
}

async function viewOf(op: Op, quote: QuoteRow) {
  const payload =
    quote.signing_request_id === null ? undefined : await selectPayload(op, quote.signing_request_id)
  return quoteView(op, quote, payload)
}
