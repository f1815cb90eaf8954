import { QUOTE_TRANSITIONS } from '@countersign/contract/core/states'
import { balanceUpdated, isOwnerDeleted } from '../accounts/accounts.ts'
import { isDeleted } from '../customers/customers.ts'
import type { Write } from '../db/commit/writes.ts'
import { required } from '../db/read/required.ts'
import type { QuoteRow, TransactionRow } from '../db/schema/tables.ts'
import { job } from '../jobs/jobs.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { hasRoom, post, release } from '../ledger/ledger.ts'
import type { Op } from '../op/app.ts'
import { transition } from '../op/transition.ts'
import type { RailAnswer, RailPayment } from '../ports/rail.ts'
import { internalReceipt } from '../receipts/internal-receipt.ts'
import { announceRefund, endRefund, moveTransaction, newRefund } from '../transactions/moves.ts'
import { findTransaction, hashed, type TransactionWithCustomer } from '../transactions/transactions.ts'
import { findQuote } from './quotes.ts'
import {
  endQuote,
  explained,
  goesBack,
  heldAt,
  heldFor,
  payeeAccount,
  payerBalanceUpdated,
  payerLeg,
  paysHere,
  pullStands,
  reversalLegs,
  settlementLegs,
  takeFromPayer,
  undeliveredLeg,
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
 * Delivers an executed payment, or asks the rail for its outcome. Captures the money once it is delivered, releases it
 * where it never left, and starts a refund where it left and was not delivered.
 */
export const settleTransaction: JobHandler<'transaction.settle'> = async (op, payload) => {
  const transaction = await findTransaction(op, payload.transactionId)
  if (transaction.state !== 'PROCESSING' && transaction.state !== 'COMPLETED') return []
  const quote = await findQuote(op, required(transaction, 'quote_id'))
  const executedAt = payload.executedAt ?? quote.updated_at.toISOString()
  const delivery = await deliver(op, quote, transaction, new Date(executedAt), payload.isAsked === true)
  const wasDelivered = transaction.state === 'COMPLETED'
  const again =
    'askAgainAt' in delivery && delivery.askAgainAt
      ? [job(op, 'transaction.settle', { ...payload, executedAt, isAsked: true }, delivery.askAgainAt)]
      : []
  switch (delivery.outcome) {
    case 'pending':
      return again
    case 'delivered':
      return wasDelivered ? again : [...(await settled(op, quote, transaction, delivery)), ...again]
    case 'failed':
      return wasDelivered ? [] : await failed(op, quote, transaction, delivery)
    case 'returned':
      return returned(op, quote, transaction, delivery)
  }
}

async function deliver(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionRow,
  executedAt: Date,
  isAsked: boolean,
): Promise<RailAnswer> {
  // Sends nothing that would overflow a balance. A payment sent before may be on its way, so its outcome is asked for.
  if (!isAsked && !(await hasRoom(op, settlementLegs(quote))))
    return {
      outcome: 'failed',
      failureReason: 'QUOTE_EXECUTION_FAILED',
      detail: 'The balance of an account would be too large',
    }
  if (paysHere(quote)) return deliverHere(op, quote)
  if (!op.rail) throw new Error('There is no payment rail')
  return op.rail.send(paymentOf(op, quote, transaction, executedAt))
}

/** Pays an internal account in the ledger alone, as long as it is open. */
async function deliverHere(op: Op, quote: QuoteRow): Promise<RailAnswer> {
  const { status, customer_id } = await payeeAccount(op, quote)
  const isGone = customer_id !== null && (await isDeleted(op, customer_id))
  if (status === 'ACTIVE' && !isGone) return { outcome: 'delivered' }
  const detail = isGone ? 'The receiving customer was deleted' : `The receiving account is ${status}`
  return { outcome: 'failed', failureReason: 'COUNTERPARTY_POST_TX_FAILED', detail }
}

function paymentOf(op: Op, quote: QuoteRow, transaction: TransactionRow, submittedAt: Date): RailPayment {
  return {
    transactionId: transaction.id,
    purpose: 'quote',
    identifier: transaction.destination_identifier,
    paymentRail: quote.payment_rail,
    chain: transaction.details.chain ?? null,
    amount: quote.receiving_amount,
    currency: quote.receiving_currency,
    reference: transaction.reference,
    remittanceInformation: null,
    submittedAt,
    now: op.now,
  }
}

async function settled(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  delivery: Extract<RailAnswer, { outcome: 'delivered' }>,
): Promise<Write[]> {
  const change = { settled_at: op.now, ...hashed(transaction, delivery) }
  const moved = moveTransaction(op, transaction, 'settle', change)
  return [
    ...takeFromPayer(op, quote, transaction, settlementLegs(quote)),
    endQuote(op, quote, 'settle'),
    ...pullStands(quote),
    ...moved.writes,
    ...(await payerBalanceUpdated(op, quote)),
    ...(paysHere(quote) ? await received(op, quote, moved.row) : []),
  ]
}

/** The writes for an internal payee: its balance and, unless payer and payee are of one owner, a record of the payment. */
async function received(op: Op, quote: QuoteRow, transaction: TransactionRow): Promise<Write[]> {
  const account = await payeeAccount(op, quote)
  const isOwn = account.customer_id === quote.customer_id
  return [
    ...(isOwn
      ? []
      : await internalReceipt(op, account, {
          source: paidBy(quote),
          umaAddress: quote.destination_uma,
          amount: quote.receiving_amount,
          description: transaction.description,
        })),
    balanceUpdated(op, account),
  ]
}

/** The paying account, as the receiver's record shows it. */
function paidBy({ source_account_id: accountId, sending_currency: currency }: QuoteRow) {
  return accountId === null ? null : { accountId, currency }
}

type Failure = Extract<RailAnswer, { outcome: 'failed' }>
type Return = Extract<RailAnswer, { outcome: 'returned' }>

/** Fails a payment that never left: its hold is released, and money that came in for it is refunded. */
async function failed(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  failure: Failure,
): Promise<Write[]> {
  const account = heldAt(quote)
  if (account === undefined) {
    const unsent = { ...transaction, details: { ...transaction.details, fundedAmount: quote.sending_amount } }
    return returned(op, quote, unsent, { ...failure, outcome: 'returned', reason: 'TRANSACTION_FAILED' })
  }
  const change = {
    failure_reason: failure.failureReason,
    details: explained(transaction, { failureDetail: failure.detail }),
  }
  return [
    release(op, { ...heldFor(quote, account), holdId: required(transaction, 'hold_id') }),
    endQuote(op, quote, 'fail'),
    ...moveTransaction(op, transaction, 'fail', change).writes,
    ...(await payerBalanceUpdated(op, quote)),
  ]
}

/**
 * Fails a payment that left and was not delivered: the money is on its way back until the rail reports its arrival. Where
 * the payer's bank has already taken it back, nothing is refunded, and the returned money covers that.
 */
async function returned(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  failure: Return,
): Promise<Write[]> {
  const wasDelivered = transaction.state === 'COMPLETED'
  const { row, writes } = moveTransaction(op, transaction, wasDelivered ? 'return' : 'fail', {
    failure_reason: failure.failureReason,
    details: explained(transaction, { failureDetail: failure.detail }),
    ...(goesBack(quote) ? { refund: newRefund(op, failure.reason) } : {}),
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
    ...pullStands(quote),
    ...writes,
    ...(goesBack(quote) ? [announceRefund(op, row)] : []),
    ...(wasDelivered ? [] : await payerBalanceUpdated(op, quote)),
    ...(goesBack(quote) ? [refundJob(op, row)] : []),
  ]
}

/** The job that refunds a payment. */
export function refundJob(op: Op, transaction: TransactionRow): Write {
  return job(op, 'transaction.refund', { transactionId: transaction.id }, op.now)
}

/**
 * Refunds an undelivered payment to its payer, once the rail reports that the money has arrived. Where the payer was
 * deleted meanwhile, it stays in the refunds account, for the platform to handle.
 */
export const refundTransaction: JobHandler<'transaction.refund'> = async (op, payload) => {
  const transaction = await findTransaction(op, payload.transactionId)
  if (transaction.refund?.status !== 'PENDING') return []
  const quote = await findQuote(op, required(transaction, 'quote_id'))
  if (!op.rail) throw new Error('There is no rail that pays back')
  const payment = paymentOf(op, quote, transaction, op.now)
  // A payment that was never sent is refunded to where it came from.
  const outcome = await op.rail.refund(wasSent(transaction) ? payment : { ...payment, identifier: null })
  if (outcome === 'FAILED') return [...endRefund(op, transaction, 'fail')]
  const { amount, currency } = paidIn(quote, transaction)
  const account = heldAt(quote)
  if (account !== undefined && (await isOwnerDeleted(op, account)))
    return [...endRefund(op, transaction, 'fail')]
  const payer =
    account === undefined ? ({ system: 'rail', currency, amount } as const) : { account, currency, amount }
  return [
    ...post(op, { cause: 'transaction', causeId: transaction.id }, [
      { system: 'refunds', currency, amount: -amount },
      payer,
    ]),
    ...endRefund(op, transaction, 'complete'),
    ...(await payerBalanceUpdated(op, quote)),
  ]
}

function wasSent(transaction: TransactionRow): boolean {
  return transaction.details.fundedAmount === undefined
}

/** The amount to refund: that of the quote, or what was paid in instead. */
function paidIn(quote: QuoteRow, transaction: TransactionRow): { amount: bigint; currency: string } {
  const { fundedAmount } = transaction.details
  return {
    amount: fundedAmount === undefined ? quote.sending_amount : BigInt(fundedAmount),
    currency: quote.sending_currency,
  }
}
