import { QUOTE_TRANSITIONS } from '@countersign/contract/states/payment-states'
import { balanceUpdated, isOwnerDeleted } from '../../kernel/accounts/accounts.ts'
import { fitsBalance } from '../../kernel/ledger/balances.ts'
import { release } from '../../kernel/ledger/holds.ts'
import { post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { RailAnswer } from '../../kernel/ports/rail.ts'
import { announceRefund, endRefund, moveTransaction, newRefund } from '../../kernel/transactions/moves.ts'
import {
  findTransaction,
  type TransactionWithCustomer,
  withTransactionHash,
} from '../../kernel/transactions/transactions.ts'
import { isDeleted } from '../../people/customers/customers.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { AskedOfRail } from '../../storage/rows/job.ts'
import type { QuoteRow, TransactionRow } from '../../storage/rows/tables.ts'
import { internalReceipt } from '../incoming-payments/internal-payment.ts'
import {
  askRail,
  createPaymentRecord,
  failBeforeSending,
  findRailPayment,
  type RailReplied,
} from '../rails/rail-payments.ts'
import { type Delivered, type Failed, type Returned, settlePayment } from '../rails/settle-payment.ts'
import type { Stage } from '../rails/settlement-table.ts'
import { findSignedTransfers, isPaidDirectly } from './chain-transfers.ts'
import { buildRefund, paymentOf } from './payment-orders.ts'
import { findQuote } from './quotes.ts'
import {
  endQuote,
  guardPullNotReturned,
  holdFor,
  holdingAccountId,
  isDeliveredHere,
  isRefundable,
  payeeAccount,
  payerBalanceUpdated,
  payerLeg,
  payingAccountId,
  paysHere,
  reversalLegs,
  settlementLegs,
  takeFromPayer,
  undeliveredLeg,
  walletBalanceUpdated,
  withCounterpartyDetails,
} from './settlement.ts'

/** Expires a quote that was not executed before its deadline, and its transaction. */
export const expireQuote: JobHandler<'quote.expire'> = async (op, payload) => {
  const quote = await findQuote(op, payload.quoteId)
  if (quote.state !== 'PENDING') return []
  const transaction = await findTransaction(op, quote.transaction_id)
  return [
    transition(op, 'quotes', QUOTE_TRANSITIONS, quote, 'expire').write,
    ...moveTransaction(op, transaction, 'expire', { failure_reason: 'QUOTE_EXPIRED' }).writes,
  ]
}

/**
 * Delivers an executed payment, or polls its outcome. Captures the money after delivery, releases it if it
 * never left, and starts a refund if it left but was not delivered.
 */
export const settleTransaction: JobHandler<'transaction.settle'> = async (op, payload) => {
  const transaction = await findTransaction(op, payload.transactionId)
  const stage = getStage(transaction)
  if (stage === 'ENDED') return []
  const quote = await findQuote(op, requireColumn(transaction, 'quote_id'))
  const executedAt = payload.executedAt ?? quote.updated_at.toISOString()
  return settlePayment({
    stage,
    ask: () => deliver(op, quote, transaction, new Date(executedAt), payload),
    settle: (answer) => settleQuote(op, quote, transaction, answer),
    fail: (answer) => failQuote(op, quote, transaction, answer),
    bounce: (answer) => returnQuote(op, quote, transaction, answer),
    reverse: (answer) => returnQuote(op, quote, transaction, answer),
    askAgain: (at, asked) => job(op, 'transaction.settle', { ...payload, executedAt, ...asked }, at),
  })
}

function getStage({ state }: TransactionRow): Stage {
  if (state === 'PROCESSING') return 'OPEN'
  return state === 'COMPLETED' ? 'SETTLED' : 'ENDED'
}

async function deliver(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionRow,
  executedAt: Date,
  asked: AskedOfRail,
): Promise<RailReplied> {
  // Nothing is sent that would overflow a balance. A payment that was submitted before may be on its way, so
  // it is polled in any case.
  const order = { ...paymentOf(quote, transaction), submittedAt: executedAt }
  const isInternal = isDeliveredHere(quote)
  const alreadySubmitted = asked.alreadySubmitted === true
  const obstacle =
    alreadySubmitted && !isInternal ? undefined : await findObstacle(op, quote, alreadySubmitted)
  if (isInternal) return { answer: obstacle ?? { outcome: 'delivered' }, writes: [] }
  if (obstacle) return failBeforeSending(op, order, obstacle)
  const sign = isPaidDirectly(quote) ? () => findSignedTransfers(op, quote) : undefined
  return askRail(op, { ...order, sign }, asked)
}

/** Why a payment cannot be delivered, if anything prevents it. A receiving internal account must be open. */
async function findObstacle(
  op: Op,
  quote: QuoteRow,
  alreadySubmitted: boolean,
): Promise<Refusal | undefined> {
  if (!alreadySubmitted && !(await fitsBalance(op, settlementLegs(quote)))) {
    const detail = 'The balance of an account would be too large'
    return { outcome: 'failed', failureReason: 'QUOTE_EXECUTION_FAILED', detail }
  }
  if (!paysHere(quote)) return undefined
  const { status, customer_id } = await payeeAccount(op, quote)
  const isCustomerDeleted = customer_id !== null && (await isDeleted(op, customer_id))
  if (status === 'ACTIVE' && !isCustomerDeleted) return undefined
  const detail = isCustomerDeleted
    ? 'The receiving customer was deleted'
    : `The receiving account is ${status}`
  return { outcome: 'failed', failureReason: 'COUNTERPARTY_POST_TX_FAILED', detail }
}

async function settleQuote(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  delivery: Delivered,
): Promise<Write[]> {
  const change = { settled_at: op.now, ...withTransactionHash(transaction, delivery) }
  const moved = moveTransaction(op, transaction, 'settle', change)
  return [
    ...takeFromPayer(op, quote, transaction, settlementLegs(quote)),
    endQuote(op, quote, 'settle'),
    ...guardPullNotReturned(quote),
    ...moved.writes,
    ...(await payerBalanceUpdated(op, quote)),
    ...(paysHere(quote) ? await creditPayee(op, quote, moved.row) : []),
  ]
}

/**
 * The writes for an internal payee: the balance event and, unless payer and payee have the same owner, a
 * record of the incoming payment.
 */
async function creditPayee(op: Op, quote: QuoteRow, transaction: TransactionRow): Promise<Write[]> {
  const account = await payeeAccount(op, quote)
  const isOwn = account.customer_id === quote.customer_id
  return [
    ...(isOwn
      ? []
      : await internalReceipt(op, account, {
          source: payingAccount(quote),
          umaAddress: quote.destination_uma,
          amount: quote.receiving_amount,
          description: transaction.description,
        })),
    balanceUpdated(op, account),
  ]
}

/** The paying account, as shown in the receiver's record. */
function payingAccount({ source_account_id: accountId, sending_currency: currency }: QuoteRow) {
  return accountId === null ? null : { accountId, currency }
}

type Refusal = Extract<RailAnswer, { outcome: 'failed' }>

/** Fails a payment that never left: releases its hold, or refunds the money that came in for it. */
async function failQuote(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  failure: Failed,
): Promise<Write[]> {
  const account = holdingAccountId(quote)
  if (account === undefined) {
    const unsent = { ...transaction, details: { ...transaction.details, fundedAmount: quote.sending_amount } }
    return returnQuote(op, quote, unsent, { ...failure, outcome: 'returned', reason: 'TRANSACTION_FAILED' })
  }
  const change = {
    failure_reason: failure.failureReason,
    details: withCounterpartyDetails(transaction, { failureDetail: failure.detail }),
  }
  return [
    release(op, { ...holdFor(quote, account), holdId: requireColumn(transaction, 'hold_id') }),
    endQuote(op, quote, 'fail'),
    ...moveTransaction(op, transaction, 'fail', change).writes,
    ...(await payerBalanceUpdated(op, quote)),
  ]
}

/**
 * Fails a payment that left but was not delivered; the money is returning until the rail reports its arrival.
 * If the payer's bank has taken back the pull, there is nothing to refund: the returned money covers that
 * debt.
 */
async function returnQuote(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  failure: Returned,
): Promise<Write[]> {
  const wasDelivered = transaction.state === 'COMPLETED'
  const { row, writes } = moveTransaction(op, transaction, wasDelivered ? 'return' : 'fail', {
    failure_reason: failure.failureReason,
    details: withCounterpartyDetails(transaction, { failureDetail: failure.detail }),
    ...(isRefundable(quote) ? { refund: newRefund(op, failure.reason) } : {}),
  })
  return [
    ...(wasDelivered
      ? post(op, { cause: 'quote', causeId: quote.id }, reversalLegs(quote))
      : [
          ...takeFromPayer(op, quote, transaction, [
            payerLeg(quote, -quote.sending_amount),
            undeliveredLeg(quote),
          ]),
          endQuote(op, quote, 'fail'),
        ]),
    ...guardPullNotReturned(quote),
    ...writes,
    ...(isRefundable(quote) ? [announceRefund(op, row)] : []),
    ...(wasDelivered ? [] : await payerBalanceUpdated(op, quote)),
    ...(isRefundable(quote) ? [refundJob(op, row)] : []),
  ]
}

/** The job that refunds a payment. A deposit that funded it is returned by its own job. */
export function refundJob(op: Op, transaction: TransactionRow): Write {
  const { deposit: depositId } = transaction.details
  return depositId === undefined
    ? job(op, 'transaction.refund', { transactionId: transaction.id }, op.now)
    : job(op, 'deposit.return', { depositId }, op.now)
}

/**
 * Refunds an undelivered payment to its payer. An internal account has the money immediately; pulled or
 * paid-in money is sent as a payment under the quote's id. If the payer was deleted, or if the rail did not
 * get the money back, it stays in the refunds account for the platform to handle.
 */
export const refundTransaction: JobHandler<'transaction.refund'> = async (op, payload) => {
  const transaction = await findTransaction(op, payload.transactionId)
  const stage = getRefundStage(transaction)
  if (stage === 'ENDED') return []
  const quote = await findQuote(op, requireColumn(transaction, 'quote_id'))
  const back = buildRefund(quote, transaction, amountToRefund(quote, transaction))
  const fail = () => endRefund(op, transaction, 'fail')
  if (stage === 'OPEN' && (await isMoneyMissing(op, transaction))) return fail()
  const isInternal = holdingAccountId(quote) !== undefined
  // A payment is recorded before its rail is called.
  const recordWrites =
    stage === 'SETTLED' || isInternal || payload.alreadySubmitted ? [] : createPaymentRecord(op, back, op.now)
  if (recordWrites.length > 0)
    return [...recordWrites, job(op, 'transaction.refund', { ...payload, alreadySubmitted: true }, op.now)]
  return settlePayment({
    stage,
    ask: async () =>
      isInternal
        ? { answer: { outcome: 'delivered' }, writes: [] }
        : askRail(op, { ...back, submittedAt: op.now }, payload),
    settle: () => refundQuote(op, quote, transaction),
    fail,
    bounce: fail,
    reverse: () => refundReturned(op, quote, transaction),
    askAgain: (at, asked) => job(op, 'transaction.refund', { ...payload, ...asked }, at),
  })
}

function getRefundStage({ refund }: TransactionRow): Stage {
  if (refund?.status === 'PENDING') return 'OPEN'
  return refund?.status === 'COMPLETED' ? 'SETTLED' : 'ENDED'
}

/** True if the money of an undelivered payment did not come back to its rail. */
async function isMoneyMissing(op: Op, { id }: TransactionRow): Promise<boolean> {
  const sent = await findRailPayment(op, 'OUT', id)
  return sent?.failure?.isMoneyMissing === true
}

async function refundQuote(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
): Promise<readonly Write[]> {
  const { amount, currency } = amountToRefund(quote, transaction)
  const account = payingAccountId(quote)
  if (account !== undefined && (await isOwnerDeleted(op, account)))
    return [...endRefund(op, transaction, 'fail')]
  const payer =
    account === undefined
      ? ({ system: 'rail', rail: quote.request.railIn, currency, amount } as const)
      : { account, currency, amount }
  return [
    ...post(op, { cause: 'transaction', causeId: transaction.id }, [
      { system: 'refunds', currency, amount: -amount },
      payer,
    ]),
    ...endRefund(op, transaction, 'complete'),
    ...(await payerBalanceUpdated(op, quote)),
    ...(await walletBalanceUpdated(op, quote)),
  ]
}

/**
 * Handles a refund that arrived but was then returned by the payer's bank: the money goes back to the refunds
 * account for the platform to handle. Guard: no other run has recorded it.
 */
function refundReturned(op: Op, quote: QuoteRow, transaction: TransactionWithCustomer): readonly Write[] {
  const { amount, currency } = amountToRefund(quote, transaction)
  return [
    ...post(op, { cause: 'transaction', causeId: transaction.id }, [
      { system: 'rail', rail: quote.request.railIn, currency, amount: -amount },
      { system: 'refunds', currency, amount },
    ]),
    ...endRefund(op, transaction, 'return'),
  ]
}

/** The amount to refund: the quote's, or the amount that was paid in instead. */
function amountToRefund(quote: QuoteRow, transaction: TransactionRow): { amount: bigint; currency: string } {
  const { fundedAmount } = transaction.details
  return {
    amount: fundedAmount === undefined ? quote.sending_amount : BigInt(fundedAmount),
    currency: quote.sending_currency,
  }
}
