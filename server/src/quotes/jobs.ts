import { QUOTE_TRANSITIONS } from '@countersign/contract/core/states'
import { balanceUpdated, isOwnerDeleted } from '../accounts/accounts.ts'
import { isDeleted } from '../customers/customers.ts'
import type { Write } from '../db/commit/writes.ts'
import { required } from '../db/read/required.ts'
import type { JobPayloads } from '../db/schema/job-tables.ts'
import type { QuoteRow, TransactionRow } from '../db/schema/tables.ts'
import { job } from '../jobs/jobs.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { hasRoom, post, release } from '../ledger/ledger.ts'
import type { Op } from '../op/app.ts'
import { askingRail } from '../op/spans.ts'
import { transition } from '../op/transition.ts'
import type { RailAnswer, RefundOutcome } from '../ports/rail.ts'
import { askRail, findRailPayment, givenToRail, notGiven, type Said } from '../rails/rail-payments.ts'
import { internalReceipt } from '../receipts/internal-receipt.ts'
import { announceRefund, endRefund, moveTransaction, newRefund } from '../transactions/moves.ts'
import { findTransaction, hashed, type TransactionWithCustomer } from '../transactions/transactions.ts'
import { paymentOf, refundOf } from './carried.ts'
import { isCollected, isStraight, signedTransfers } from './on-chain.ts'
import { findQuote } from './quotes.ts'
import {
  endQuote,
  explained,
  goesBack,
  heldAt,
  heldFor,
  isDeliveredHere,
  paidFrom,
  payeeAccount,
  payerBalanceUpdated,
  payerLeg,
  paysHere,
  pullStands,
  reversalLegs,
  settlementLegs,
  takeFromPayer,
  undeliveredLeg,
  walletBalanceUpdated,
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
  const said = await deliver(op, quote, transaction, new Date(executedAt), payload.isAsked === true)
  return [...said.writes, ...(await outcome(op, quote, transaction, said.answer, { ...payload, executedAt }))]
}

/** What the answer of the rail does to the payment. */
async function outcome(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  delivery: RailAnswer,
  payload: JobPayloads['transaction.settle'],
): Promise<readonly Write[]> {
  const wasDelivered = transaction.state === 'COMPLETED'
  const again =
    'askAgainAt' in delivery && delivery.askAgainAt
      ? [job(op, 'transaction.settle', { ...payload, isAsked: true }, delivery.askAgainAt)]
      : []
  switch (delivery.outcome) {
    case 'accepted':
    case 'unknown':
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
): Promise<Said> {
  // Sends nothing that would overflow a balance. A payment sent before may be on its way, so its outcome is asked for.
  const carried = { ...paymentOf(quote, transaction), submittedAt: executedAt }
  const isHere = isDeliveredHere(quote)
  const obstacle = isAsked && !isHere ? undefined : await obstacleTo(op, quote, isAsked)
  if (isHere) return { answer: obstacle ?? { outcome: 'delivered' }, writes: [] }
  if (obstacle) return notGiven(op, carried, obstacle)
  const sign = isStraight(quote) ? () => signedTransfers(op, quote) : undefined
  return askRail(op, { ...carried, sign }, isAsked)
}

/** Why a payment cannot be delivered; undefined where nothing is in its way. An internal account has to be open. */
async function obstacleTo(op: Op, quote: QuoteRow, isAsked: boolean): Promise<Failure | undefined> {
  if (!isAsked && !(await hasRoom(op, settlementLegs(quote)))) {
    const detail = 'The balance of an account would be too large'
    return { outcome: 'failed', failureReason: 'QUOTE_EXECUTION_FAILED', detail }
  }
  if (!paysHere(quote)) return undefined
  const { status, customer_id } = await payeeAccount(op, quote)
  const isGone = customer_id !== null && (await isDeleted(op, customer_id))
  if (status === 'ACTIVE' && !isGone) return undefined
  const detail = isGone ? 'The receiving customer was deleted' : `The receiving account is ${status}`
  return { outcome: 'failed', failureReason: 'COUNTERPARTY_POST_TX_FAILED', detail }
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

/** The job that refunds a payment: the deposit that paid for it goes back by itself. */
export function refundJob(op: Op, transaction: TransactionRow): Write {
  const { deposit: depositId } = transaction.details
  return depositId === undefined
    ? job(op, 'transaction.refund', { transactionId: transaction.id }, op.now)
    : job(op, 'deposit.return', { depositId }, op.now)
}

/**
 * Refunds an undelivered payment to its payer, once the rail reports that the money has arrived. Where the payer was
 * deleted meanwhile, it stays in the refunds account, for the platform to handle.
 */
export const refundTransaction: JobHandler<'transaction.refund'> = async (op, payload) => {
  const transaction = await findTransaction(op, payload.transactionId)
  const status = transaction.refund?.status
  if (status !== 'PENDING' && status !== 'COMPLETED') return []
  const quote = await findQuote(op, required(transaction, 'quote_id'))
  if (status === 'COMPLETED') return refundReturned(op, quote, transaction)
  const { answer, writes } = await paidBack(op, quote, transaction, payload)
  if (answer === undefined) return writes
  if (answer === 'FAILED') return [...writes, ...endRefund(op, transaction, 'fail')]
  const { amount, currency } = paidIn(quote, transaction)
  const account = paidFrom(quote)
  if (account !== undefined && (await isOwnerDeleted(op, account)))
    return [...endRefund(op, transaction, 'fail')]
  const payer =
    account === undefined
      ? ({ system: 'rail', rail: quote.request.railIn, currency, amount } as const)
      : { account, currency, amount }
  return [
    ...writes,
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
 * The payer's bank has sent back a refund that had arrived there: the money is among the refunds again, for the platform to
 * handle. Guard: no other run has recorded that.
 */
async function refundReturned(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
): Promise<readonly Write[]> {
  const back = await findRailPayment(op, 'OUT', quote.id)
  if (back?.state !== 'RETURNED') return []
  const { amount, currency, rail } = back
  return [
    ...post(op, { cause: 'transaction', causeId: transaction.id }, [
      { system: 'rail', rail, currency, amount: -amount },
      { system: 'refunds', currency, amount },
    ]),
    ...endRefund(op, transaction, 'return'),
  ]
}

interface PaidBack {
  /** Undefined while it is on its way. */
  readonly answer: RefundOutcome | undefined
  readonly writes: readonly Write[]
}

/**
 * The way back of a payment's money. A rail that keeps records has said before that it is with us: an account here has it
 * at once, and what was pulled or collected is sent back as a payment of its own, named by the quote.
 */
async function paidBack(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionRow,
  payload: JobPayloads['transaction.refund'],
): Promise<PaidBack> {
  const payment = { ...paymentOf(quote, transaction), submittedAt: op.now }
  const rail = op.rails.find(payment.rail)
  if (rail && !rail.isRecorded && !isCollected(quote)) {
    const { direction: _, accountId: __, rail: ___, ...given } = payment
    // A payment that was never sent is refunded to where it came from.
    const identifier = wasSent(transaction) ? given.identifier : null
    const refunded = { ...given, identifier, isAsked: false, now: op.now }
    const answer = await askingRail(op, rail, 'refund', () => rail.refund(refunded))
    return { answer, writes: [] }
  }
  if (heldAt(quote) !== undefined) return { answer: 'COMPLETED', writes: [] }
  const back = refundOf(quote, transaction, paidIn(quote, transaction))
  if (!payload.isAsked)
    return {
      answer: undefined,
      writes: [
        ...givenToRail(op, back, op.now),
        job(op, 'transaction.refund', { ...payload, isAsked: true }, op.now),
      ],
    }
  const { answer, writes } = await askRail(op, { ...back, submittedAt: op.now }, true)
  if (answer.outcome === 'delivered') return { answer: 'COMPLETED', writes }
  if (answer.outcome === 'failed' || answer.outcome === 'returned') return { answer: 'FAILED', writes }
  const again = answer.askAgainAt ? [job(op, 'transaction.refund', payload, answer.askAgainAt)] : []
  return { answer: undefined, writes: [...writes, ...again] }
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
