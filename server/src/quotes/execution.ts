import { findInternalAccount, isOwnerDeleted, maySeeAccount } from '../accounts/accounts.ts'
import { findCustomer } from '../customers/customers.ts'
import type { Write } from '../db/commit/writes.ts'
import { required } from '../db/read/required.ts'
import type { QuoteRow } from '../db/schema/tables.ts'
import { findExternalAccount } from '../external-accounts/external-accounts.ts'
import type { Op } from '../op/app.ts'
import { ApiError, fieldError } from '../op/operation.ts'
import { checkPosition } from '../positions/positions.ts'
import { checkStillAllowed } from '../uma/allowed.ts'
import { checkBalance } from './create.ts'
import { checkExecutable, type Execution, findQuote } from './quotes.ts'
import { fundingOf, paysHere } from './settlement.ts'

/** Refuses a quote with real-time funding, which its payment executes. Error: 400 `INVALID_INPUT`. */
export function checkIsPaidFromAccount(quote: QuoteRow): void {
  if (quote.source_account_id === null)
    throw fieldError(
      'INVALID_INPUT',
      'quoteId',
      'This quote executes itself when the payment of its paymentInstructions arrives.',
    )
}

/**
 * A quote that the caller may execute: a customer only one that is paid from the customer's own internal account, neither from
 * the platform's nor by a pull. Error: 404 `QUOTE_NOT_FOUND`.
 */
export async function findExecutable(op: Op, id: string): Promise<QuoteRow> {
  const quote = await findQuote(op, id)
  const { source_account_id: source } = quote
  if (source !== null && !(await maySeeAccount(op, source)))
    throw new ApiError('QUOTE_NOT_FOUND', { details: { field: 'quoteId' } })
  return quote
}

/**
 * Checks that a quote can be executed, and returns the internal account that pays it; undefined where the money is pulled
 * in, since only the bank knows that balance. `guards` belong to the write set of the execution. Errors: 400
 * `QUOTE_EXPIRED` and `INSUFFICIENT_BALANCE`, 403 `COUNTERPARTY_NOT_ALLOWED`, 404 `ACCOUNT_NOT_FOUND`, 409 `CONFLICT`, 410
 * `CUSTOMER_DELETED`, 503 `POSITION_LIMIT_REACHED`.
 */
export async function checkExecution(op: Op, quote: QuoteRow): Promise<Execution> {
  checkExecutable(op, quote)
  const guards = await checkParties(op, quote)
  await checkPosition(op, quote)
  if (fundingOf(quote) === 'PULLED') return { account: undefined, guards }
  await checkBalance(op, quote)
  return { account: await findInternalAccount(op, required(quote, 'source_account_id')), guards }
}

/**
 * Checks that both sides still exist and may still be paid, and returns the guards of that. Errors: 403
 * `COUNTERPARTY_NOT_ALLOWED`, 404 `ACCOUNT_NOT_FOUND`, 410 `CUSTOMER_DELETED`, naming the quote.
 */
export async function checkParties(op: Op, quote: QuoteRow): Promise<readonly Write[]> {
  if (quote.customer_id !== null) await findCustomer(op, quote.customer_id, 'quoteId')
  if (fundingOf(quote) === 'PULLED')
    await findExternalAccount(op, required(quote, 'source_account_id'), 'quoteId')
  const destination = quote.destination_account_id
  if (destination === null) return checkStillAllowed(op, required(quote, 'destination_uma'), 'quoteId')
  if (!paysHere(quote)) {
    const { customer_id } = await findExternalAccount(op, destination, 'quoteId')
    if (customer_id !== null) await findCustomer(op, customer_id, 'quoteId')
    return []
  }
  if (await isOwnerDeleted(op, destination))
    throw new ApiError('CUSTOMER_DELETED', { details: { field: 'quoteId' } })
  return []
}
