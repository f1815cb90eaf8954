import { PULL_INITIAL, QUOTE_TRANSITIONS } from '@countersign/contract/states/payment-states'
import { formatCurrencyAmount } from '../../base/pricing/pricing.ts'
import {
  buildBalanceEvent,
  canSeeAccount,
  findInternalAccount,
  isOwnerDeleted,
} from '../../kernel/accounts/accounts.ts'
import { findBalances } from '../../kernel/ledger/balances.ts'
import { hold } from '../../kernel/ledger/holds.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { moveTransaction } from '../../kernel/transactions/moves.ts'
import type { TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { InternalAccountRow, QuoteRow, TransactionRow } from '../../storage/rows/tables.ts'
import { checkUsable } from '../external-accounts/account-changes.ts'
import { findExternalAccount } from '../external-accounts/external-accounts.ts'
import { checkPosition, getPositionLimit } from '../prices/positions.ts'
import { checkPullNotHeld } from '../rails/funds-holds.ts'
import { createPaymentRecord } from '../rails/rail-payments.ts'
import { Velocity } from '../rails/velocity.ts'
import { checkStillAllowed } from '../uma/allowed-counterparties.ts'
import { isCollected } from './chain-transfers.ts'
import { buildPayment, buildPull } from './payment-orders.ts'
import { findQuote } from './quotes.ts'
import {
  buildHold,
  getFunding,
  getPayingAccountId,
  isDeliveredInternally,
  isPaidInternally,
} from './settlement.ts'

/**
 * Rejects a quote with real-time funding, because only its payment can execute it. Throws 400
 * `INVALID_INPUT`.
 */
export function checkIsPaidFromAccount(quote: QuoteRow): void {
  if (quote.source_account_id === null)
    throw createFieldError(
      'INVALID_INPUT',
      'quoteId',
      'This quote is executed automatically when the payment in its paymentInstructions arrives.',
    )
}

/**
 * Finds a quote that the caller may execute. Customers may execute only quotes that their own internal
 * account pays, not those paid by the platform or by a pull. Throws 404 `QUOTE_NOT_FOUND`.
 */
export async function findExecutable(op: Op, id: string): Promise<QuoteRow> {
  const quote = await findQuote(op, id)
  const { source_account_id: source } = quote
  if (source !== null && !(await canSeeAccount(op, source)))
    throw new ApiError('QUOTE_NOT_FOUND', { details: { field: 'quoteId' } })
  return quote
}

/**
 * Checks that a quote can be executed, and returns the internal account that pays it. The account is
 * undefined if the money is pulled, because only the bank knows that balance. `guards` must be part of the
 * execution's write set; errors: 400 `QUOTE_EXPIRED` and `INSUFFICIENT_BALANCE`, 403
 * `COUNTERPARTY_NOT_ALLOWED` and `VELOCITY_LIMIT_EXCEEDED`, 404 `ACCOUNT_NOT_FOUND`, 409
 * `QUOTE_ALREADY_EXECUTED` and `PULL_NEEDS_HOLD`, 410 `CUSTOMER_DELETED`, 503 `POSITION_LIMIT_REACHED`.
 */
export async function checkExecution(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionRow,
): Promise<Execution> {
  checkExecutable(op, quote)
  const guards = await checkParties(op, quote)
  await checkPosition(op, quote)
  if (getFunding(quote) === 'PULLED') await checkPull(op, quote)
  else await checkBalance(op, quote)
  const velocityWrites = await new Velocity(op).admit(transaction)
  const account = getPayingAccountId(quote)
  return {
    account: account === undefined ? undefined : await findInternalAccount(op, account),
    guards: [...guards, ...velocityWrites],
  }
}

/**
 * Checks that payer and payee still exist and that the payee may still be paid; returns the guards. Errors,
 * naming the quote: 403 `COUNTERPARTY_NOT_ALLOWED`, 404 `ACCOUNT_NOT_FOUND`, 410 `CUSTOMER_DELETED`.
 */
export async function checkParties(op: Op, quote: QuoteRow): Promise<readonly Write[]> {
  if (quote.customer_id !== null) await findCustomer(op, quote.customer_id, 'quoteId')
  if (getFunding(quote) === 'PULLED')
    await findUnchanged(op, quote, requireColumn(quote, 'source_account_id'))
  const destination = quote.destination_account_id
  if (destination === null) return checkStillAllowed(op, requireColumn(quote, 'destination_uma'), 'quoteId')
  if (!isPaidInternally(quote)) {
    const { customer_id } = await findUnchanged(op, quote, destination)
    if (customer_id !== null) await findCustomer(op, customer_id, 'quoteId')
    return []
  }
  if (await isOwnerDeleted(op, destination))
    throw new ApiError('CUSTOMER_DELETED', { details: { field: 'quoteId' } })
  return []
}

/**
 * The external account of a quote, if its details are the same as when the quote was created. Errors, naming
 * the quote: 404 `ACCOUNT_NOT_FOUND`, 409 `EXTERNAL_ACCOUNT_UNDER_REVIEW`, `EXTERNAL_ACCOUNT_INACTIVE`,
 * `EXTERNAL_ACCOUNT_CHANGED`.
 */
async function findUnchanged(op: Op, quote: QuoteRow, accountId: string) {
  const account = await findExternalAccount(op, accountId, 'quoteId')
  await checkUsable(op, account, 'quoteId')
  if (account.details_changed_at !== null && account.details_changed_at > quote.created_at)
    throw new ApiError('EXTERNAL_ACCOUNT_CHANGED', {
      message:
        'The details of the external account have changed since the quote was made. Create another quote.',
      details: { field: 'quoteId', externalAccountId: account.id },
    })
  return account
}

/**
 * Rejects a quote whose pull a risk rule would hold, because the quote would spend that money immediately.
 * Throws 409 `PULL_NEEDS_HOLD`.
 */
export async function checkPull(op: Op, quote: QuoteRow): Promise<void> {
  await checkPullNotHeld(op, {
    externalAccountId: requireColumn(quote, 'source_account_id'),
    customerId: quote.customer_id,
    currency: quote.sending_currency,
    amount: quote.sending_amount,
  })
}

/** Throws 400 `INSUFFICIENT_BALANCE`, with the amounts. The hold itself is guarded by the ledger. */
export async function checkBalance(op: Op, quote: QuoteRow): Promise<void> {
  const account = requireColumn(quote, 'source_account_id')
  const balance = (await findBalances(op, [account])).get(account)
  const available = balance?.available ?? 0n
  const format = (amount: bigint) => formatCurrencyAmount(amount, quote.sending_currency)
  if (available < quote.sending_amount)
    throw new ApiError('INSUFFICIENT_BALANCE', {
      message: `The account can spend ${format(available)}, but the quote needs ${format(quote.sending_amount)}.`,
      details: { available, required: quote.sending_amount, currency: quote.sending_currency },
    })
}

/**
 * Throws 400 `QUOTE_EXPIRED`, 409 `QUOTE_ALREADY_EXECUTED`, 409 `INVALID_STATE_TRANSITION` if the quote has
 * failed.
 */
export function checkExecutable(op: Op, quote: QuoteRow): void {
  const isLate = quote.expires_at <= op.now
  if (quote.state === 'EXPIRED' || (quote.state === 'PENDING' && isLate)) throw new ApiError('QUOTE_EXPIRED')
  if (nextState(QUOTE_TRANSITIONS, quote.state, 'execute') === null)
    throw new ApiError(quote.state === 'FAILED' ? 'INVALID_STATE_TRANSITION' : 'QUOTE_ALREADY_EXECUTED', {
      message: `The quote cannot be executed: it is ${quote.state}.`,
      details: { status: quote.state },
    })
}

/** The result of `checkExecution`: the internal account that pays, if any, and the guards of the checks. */
export interface Execution {
  readonly account: InternalAccountRow | undefined
  readonly guards: readonly Write[]
}

/**
 * Executes a quote that an account pays. An internal account holds the amount immediately, and the settlement
 * is due now, unless the account is a chain wallet whose money must be collected first. Money of an external
 * account is pulled first; guards: quote and transaction are unchanged, and the account can spend the amount.
 */
export function executeQuote(
  op: Op,
  { account, guards }: Execution,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
): { readonly quote: QuoteRow; readonly transaction: TransactionWithCustomer; readonly writes: Write[] } {
  if (!account) {
    const beginResult = beginPull(op, quote, transaction)
    return { ...beginResult, writes: [...guards, ...beginResult.writes] }
  }
  const cause = { cause: 'quote', causeId: quote.id } as const
  const { holdId, write } = hold(op, cause, buildHold(quote, account.id))
  const held = { hold_id: holdId }
  const beginResult = isCollected(quote)
    ? beginPull(op, quote, transaction, held)
    : beginSettlement(op, quote, transaction, held)
  return { ...beginResult, writes: [...guards, write, ...beginResult.writes, buildBalanceEvent(op, account)] }
}

/**
 * Starts the pull of a quote's money: quote and transaction become PROCESSING, and the pull is scheduled.
 * Guard: the paying customer is not deleted, which an external account cannot guarantee.
 */
function beginPull(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  held: Partial<TransactionRow> = {},
) {
  const pull = buildPull(quote, transaction)
  const opensAt = submitTime(op, pull)
  const change = { ...held, ...submitsAtDetails(op, transaction, {}, opensAt) }
  const beginResult = beginExecution(op, quote, transaction, { pull_state: PULL_INITIAL }, change)
  const payload = { transactionId: transaction.id, executedAt: op.now.toISOString() }
  const { customer_id } = quote
  const payerGuard = customer_id === null ? [] : [expectRow('customers', customer_id, { deleted_at: null })]
  return {
    ...beginResult,
    writes: [
      ...payerGuard,
      ...beginResult.writes,
      ...createPaymentRecord(op, pull, opensAt),
      job(op, 'transaction.pull', payload, opensAt),
    ],
  }
}

/**
 * Starts the settlement of a funded quote: quote and transaction become PROCESSING, and the job is scheduled.
 */
export function beginSettlement(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  change: Partial<TransactionRow> = {},
) {
  const opensAt = isDeliveredInternally(quote) ? op.now : submitTime(op, buildPayment(quote, transaction))
  const beginResult = beginExecution(
    op,
    quote,
    transaction,
    {},
    { ...change, ...submitsAtDetails(op, transaction, change, opensAt) },
  )
  return { ...beginResult, writes: [...beginResult.writes, ...buildSettlement(op, quote, transaction)] }
}

function beginExecution(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  quoteChange: Partial<QuoteRow>,
  change: Partial<TransactionRow>,
) {
  const limit = getPositionLimit(op, quote)
  const executedQuote = transition(op, 'quotes', QUOTE_TRANSITIONS, quote, 'execute', {
    ...quoteChange,
    // Omitted if there is no limit to count against: the committer uses a different statement for each set of
    // columns.
    ...(limit === null ? {} : { position_limit: limit }),
  })
  const executedTransaction = moveTransaction(op, transaction, 'execute', change)
  return {
    quote: executedQuote.row,
    transaction: executedTransaction.row,
    writes: [executedQuote.write, ...executedTransaction.writes],
  }
}

/**
 * The earliest time the rail accepts this payment. If the rail was removed, the payment waits until it is
 * configured again.
 */
function submitTime(op: Op, { rail }: { readonly rail: string | null }): Date {
  return op.rails.find(rail)?.opensAt(op.now) ?? op.now
}

/** Records in the transaction when a closed rail will accept the payment. */
function submitsAtDetails(
  op: Op,
  transaction: TransactionRow,
  change: Partial<TransactionRow>,
  opensAt: Date,
): Partial<TransactionRow> {
  if (opensAt <= op.now) return {}
  return { details: { ...(change.details ?? transaction.details), submitsAt: opensAt.toISOString() } }
}

/**
 * Builds the writes that deliver a funded payment: the payment's record at its rail, and the job, due
 * immediately or when the rail opens.
 */
export function buildSettlement(op: Op, quote: QuoteRow, transaction: TransactionRow): Write[] {
  const payload = { transactionId: transaction.id, executedAt: op.now.toISOString() }
  if (isDeliveredInternally(quote)) return [job(op, 'transaction.settle', payload, op.now)]
  const payment = buildPayment(quote, transaction)
  const opensAt = submitTime(op, payment)
  return [...createPaymentRecord(op, payment, opensAt), job(op, 'transaction.settle', payload, opensAt)]
}
