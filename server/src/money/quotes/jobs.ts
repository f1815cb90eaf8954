import { QUOTE_TRANSITIONS } from '@countersign/contract/states/payment-states'
import { buildBalanceEvent, isOwnerDeleted } from '../../kernel/accounts/accounts.ts'
import { fitsBalance } from '../../kernel/ledger/balances.ts'
import { release } from '../../kernel/ledger/holds.ts'
import { post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { RailResult } from '../../kernel/ports/rail.ts'
import { announceRefund, endRefund, moveTransaction, newRefund } from '../../kernel/transactions/moves.ts'
import {
  findTransaction,
  type TransactionWithCustomer,
  withTransactionHash,
} from '../../kernel/transactions/transactions.ts'
import { isDeleted } from '../../people/customers/customers.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { RailProgress } from '../../storage/rows/job.ts'
import type { QuoteRow, TransactionRow } from '../../storage/rows/tables.ts'
import { recordInternalPayment } from '../incoming-payments/internal-payment.ts'
import {
  createPaymentRecord,
  failBeforeSending,
  findRailPayment,
  type RailReplied,
  submitOrPollPayment,
} from '../rails/rail-payments.ts'
import { type Delivered, type Failed, type Returned, settlePayment } from '../rails/settle-payment.ts'
import type { Stage } from '../rails/settlement-table.ts'
import { findSignedTransfers, isPaidDirectly } from './chain-transfers.ts'
import { buildPayment, buildRefund } from './payment-orders.ts'
import { findQuote } from './quotes.ts'
import {
  addCounterpartyDetails,
  buildHold,
  buildPayerBalanceEvents,
  buildPayerLeg,
  buildReversalLegs,
  buildSettlementLegs,
  buildUndeliveredLeg,
  buildWalletBalanceEvents,
  chargePayer,
  endQuote,
  findPayeeAccount,
  getHoldingAccountId,
  getPayingAccountId,
  guardPullNotReturned,
  isDeliveredInternally,
  isPaidInternally,
  isRefundable,
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
 * Delivers an executed payment, or polls its outcome. Captures the money after delivery, releases it if
 * nothing was sent, and starts a refund if the payment was sent but not delivered.
 */
export const settleTransaction: JobHandler<'transaction.settle'> = async (op, payload) => {
  const transaction = await findTransaction(op, payload.transactionId)
  const stage = getStage(transaction)
  if (stage === 'ENDED') return []
  const quote = await findQuote(op, requireColumn(transaction, 'quote_id'))
  const executedAt = payload.executedAt ?? quote.updated_at.toISOString()
  return settlePayment({
    stage,
    callRail: () => deliver(op, quote, transaction, new Date(executedAt), payload),
    settle: (answer) => settleQuote(op, quote, transaction, answer),
    fail: (answer) => failQuote(op, quote, transaction, answer),
    bounce: (answer) => returnQuote(op, quote, transaction, answer),
    reverse: (answer) => returnQuote(op, quote, transaction, answer),
    schedulePoll: (at, asked) => job(op, 'transaction.settle', { ...payload, executedAt, ...asked }, at),
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
  progress: RailProgress,
): Promise<RailReplied> {
  // A payment that would overflow a balance is not sent. A submitted payment may be on its way, so it is
  // always polled.
  const order = { ...buildPayment(quote, transaction), submittedAt: executedAt }
  const isInternal = isDeliveredInternally(quote)
  const alreadySubmitted = progress.alreadySubmitted === true
  const obstacle =
    alreadySubmitted && !isInternal ? undefined : await findObstacle(op, quote, alreadySubmitted)
  if (isInternal) return { answer: obstacle ?? { outcome: 'delivered' }, writes: [] }
  if (obstacle) return failBeforeSending(op, order, obstacle)
  const sign = isPaidDirectly(quote) ? () => findSignedTransfers(op, quote) : undefined
  return submitOrPollPayment(op, { ...order, sign }, progress)
}

/**
 * Finds the reason why a payment cannot be delivered, if any. A receiving internal account must be active.
 */
async function findObstacle(
  op: Op,
  quote: QuoteRow,
  alreadySubmitted: boolean,
): Promise<DeliveryFailure | undefined> {
  if (!alreadySubmitted && !(await fitsBalance(op, buildSettlementLegs(quote)))) {
    const detail = 'An account balance would exceed its maximum'
    return { outcome: 'failed', failureReason: 'QUOTE_EXECUTION_FAILED', detail }
  }
  if (!isPaidInternally(quote)) return undefined
  const { status, customer_id } = await findPayeeAccount(op, quote)
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
    ...chargePayer(op, quote, transaction, buildSettlementLegs(quote)),
    endQuote(op, quote, 'settle'),
    ...guardPullNotReturned(quote),
    ...moved.writes,
    ...(await buildPayerBalanceEvents(op, quote)),
    ...(isPaidInternally(quote) ? await creditPayee(op, quote, moved.row) : []),
  ]
}

/**
 * The writes for an internal payee: the balance event and, unless payer and payee have the same owner, a
 * record of the incoming payment.
 */
async function creditPayee(op: Op, quote: QuoteRow, transaction: TransactionRow): Promise<Write[]> {
  const account = await findPayeeAccount(op, quote)
  const hasSameOwner = account.customer_id === quote.customer_id
  return [
    ...(hasSameOwner
      ? []
      : await recordInternalPayment(op, account, {
          source: toReceiptSource(quote),
          umaAddress: quote.destination_uma,
          amount: quote.receiving_amount,
          description: transaction.description,
        })),
    buildBalanceEvent(op, account),
  ]
}

/** The paying account as shown in the receiver's record. */
function toReceiptSource({ source_account_id: accountId, sending_currency: currency }: QuoteRow) {
  return accountId === null ? null : { accountId, currency }
}

type DeliveryFailure = Extract<RailResult, { outcome: 'failed' }>

/** Fails a payment that was never sent: releases its hold, or refunds the money that funded it. */
async function failQuote(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  failure: Failed,
): Promise<Write[]> {
  const account = getHoldingAccountId(quote)
  if (account === undefined) {
    const unsent = { ...transaction, details: { ...transaction.details, fundedAmount: quote.sending_amount } }
    return returnQuote(op, quote, unsent, { ...failure, outcome: 'returned', reason: 'TRANSACTION_FAILED' })
  }
  const change = {
    failure_reason: failure.failureReason,
    details: addCounterpartyDetails(transaction, { failureDetail: failure.detail }),
  }
  return [
    release(op, { ...buildHold(quote, account), holdId: requireColumn(transaction, 'hold_id') }),
    endQuote(op, quote, 'fail'),
    ...moveTransaction(op, transaction, 'fail', change).writes,
    ...(await buildPayerBalanceEvents(op, quote)),
  ]
}

/**
 * Fails a payment that was sent but not delivered, and starts its refund. If the payer's bank has reversed
 * the pull, there is no refund: the returned money covers that debt.
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
    details: addCounterpartyDetails(transaction, { failureDetail: failure.detail }),
    ...(isRefundable(quote) ? { refund: newRefund(op, failure.reason) } : {}),
  })
  return [
    ...(wasDelivered
      ? post(op, { cause: 'quote', causeId: quote.id }, buildReversalLegs(quote))
      : [
          ...chargePayer(op, quote, transaction, [
            buildPayerLeg(quote, -quote.sending_amount),
            buildUndeliveredLeg(quote),
          ]),
          endQuote(op, quote, 'fail'),
        ]),
    ...guardPullNotReturned(quote),
    ...writes,
    ...(isRefundable(quote) ? [announceRefund(op, row)] : []),
    ...(wasDelivered ? [] : await buildPayerBalanceEvents(op, quote)),
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
 * Refunds an undelivered payment to its payer. An internal account is credited immediately; pulled or paid-in
 * money is sent back as a payment with the quote's id. If the payer was deleted or the rail did not get the
 * money back, the refund fails and the platform must handle it.
 */
export const refundTransaction: JobHandler<'transaction.refund'> = async (op, payload) => {
  const transaction = await findTransaction(op, payload.transactionId)
  const stage = getRefundStage(transaction)
  if (stage === 'ENDED') return []
  const quote = await findQuote(op, requireColumn(transaction, 'quote_id'))
  const refundOrder = buildRefund(quote, transaction, toRefundAmount(quote, transaction))
  const fail = () => endRefund(op, transaction, 'fail')
  if (stage === 'OPEN' && (await isMoneyMissing(op, transaction))) return fail()
  const isInternal = getHoldingAccountId(quote) !== undefined
  // A payment is recorded before its rail is called.
  const recordWrites =
    stage === 'SETTLED' || isInternal || payload.alreadySubmitted
      ? []
      : createPaymentRecord(op, refundOrder, op.now)
  if (recordWrites.length > 0)
    return [...recordWrites, job(op, 'transaction.refund', { ...payload, alreadySubmitted: true }, op.now)]
  return settlePayment({
    stage,
    callRail: async () =>
      isInternal
        ? { answer: { outcome: 'delivered' }, writes: [] }
        : submitOrPollPayment(op, { ...refundOrder, submittedAt: op.now }, payload),
    settle: () => refundQuote(op, quote, transaction),
    fail,
    bounce: fail,
    reverse: () => refundReturned(op, quote, transaction),
    schedulePoll: (at, asked) => job(op, 'transaction.refund', { ...payload, ...asked }, at),
  })
}

function getRefundStage({ refund }: TransactionRow): Stage {
  if (refund?.status === 'PENDING') return 'OPEN'
  return refund?.status === 'COMPLETED' ? 'SETTLED' : 'ENDED'
}

/** True if the rail did not get the money of an undelivered payment back. */
async function isMoneyMissing(op: Op, { id }: TransactionRow): Promise<boolean> {
  const sent = await findRailPayment(op, 'OUT', id)
  return sent?.failure?.isMoneyMissing === true
}

async function refundQuote(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
): Promise<readonly Write[]> {
  const { amount, currency } = toRefundAmount(quote, transaction)
  const account = getPayingAccountId(quote)
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
    ...(await buildPayerBalanceEvents(op, quote)),
    ...(await buildWalletBalanceEvents(op, quote)),
  ]
}

/**
 * Handles a refund that the payer's bank returned: the money goes back to the refunds account for the
 * platform to handle. Guard: the return has not been recorded.
 */
function refundReturned(op: Op, quote: QuoteRow, transaction: TransactionWithCustomer): readonly Write[] {
  const { amount, currency } = toRefundAmount(quote, transaction)
  return [
    ...post(op, { cause: 'transaction', causeId: transaction.id }, [
      { system: 'rail', rail: quote.request.railIn, currency, amount: -amount },
      { system: 'refunds', currency, amount },
    ]),
    ...endRefund(op, transaction, 'return'),
  ]
}

/** The amount that funded the quote, which may differ from the amount of the quote. */
function toRefundAmount(quote: QuoteRow, transaction: TransactionRow): { amount: bigint; currency: string } {
  const { fundedAmount } = transaction.details
  return {
    amount: fundedAmount === undefined ? quote.sending_amount : BigInt(fundedAmount),
    currency: quote.sending_currency,
  }
}
