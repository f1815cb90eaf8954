import { PULL_TRANSITIONS, type PullEvent } from '@countersign/contract/states/payment-states'
import { fitsBalance } from '../../kernel/ledger/balances.ts'
import { capture, type Hold, release } from '../../kernel/ledger/holds.ts'
import { type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { stateAfter, transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { moveTransaction } from '../../kernel/transactions/moves.ts'
import {
  findTransaction,
  type TransactionWithCustomer,
  toTransactionView,
} from '../../kernel/transactions/transactions.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { JobPayloads } from '../../storage/rows/job.ts'
import type { QuoteRow, TransactionRow } from '../../storage/rows/tables.ts'
import { failBeforeSending, type RailReplied, submitOrPollPayment } from '../rails/rail-payments.ts'
import { settlePayment } from '../rails/settle-payment.ts'
import type { Stage } from '../rails/settlement-table.ts'
import { findSignedTransfers, isCollected } from './chain-transfers.ts'
import { buildSettlement } from './execute-quote.ts'
import { buildPull } from './payment-orders.ts'
import { findQuote } from './quotes.ts'
import {
  addCounterpartyDetails,
  buildFundingLegs,
  buildHold,
  buildPullReturnLegs,
  buildWalletBalanceEvents,
  endQuote,
} from './settlement.ts'

/**
 * Pulls the money of an executed quote from the external account, or collects it from the chain wallet, or
 * polls the outcome. After the money has arrived, the quote continues as if it had been paid in. The bank can
 * reverse the pull until the rail stops asking to be polled.
 */
export const pullTransaction: JobHandler<'transaction.pull'> = async (op, payload) => {
  const transaction = await findTransaction(op, payload.transactionId)
  const quote = await findQuote(op, requireColumn(transaction, 'quote_id'))
  return settlePayment({
    stage: getStage(quote),
    callRail: () => pullFromSource(op, quote, transaction, payload),
    settle: () => recordArrival(op, quote, transaction),
    fail: ({ detail }) => failPull(op, quote, transaction, detail),
    bounce: ({ detail }) => failPull(op, quote, transaction, detail),
    reverse: ({ detail }) => recordPullReturn(op, quote, transaction, detail),
    schedulePoll: (at, asked) => job(op, 'transaction.pull', { ...payload, ...asked }, at),
  })
}

function getStage({ pull_state }: QuoteRow): Stage {
  if (pull_state === 'PENDING') return 'OPEN'
  return pull_state === 'PULLED' ? 'SETTLED' : 'ENDED'
}

async function pullFromSource(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionRow,
  payload: JobPayloads['transaction.pull'],
): Promise<RailReplied> {
  // A pull that would overflow a balance is not submitted. A submitted pull may be on its way, so it is
  // always polled.
  const order = { ...buildPull(quote, transaction), submittedAt: new Date(payload.executedAt) }
  if (isCollected(quote))
    return submitOrPollPayment(op, { ...order, sign: () => findSignedTransfers(op, quote) }, payload)
  if (
    !payload.alreadySubmitted &&
    !(await fitsBalance(op, buildFundingLegs(quote, 'clearing', quote.sending_amount)))
  ) {
    const detail = 'An account balance would exceed its maximum'
    return failBeforeSending(op, order, {
      outcome: 'failed',
      failureReason: 'QUOTE_EXECUTION_FAILED',
      detail,
    })
  }
  return submitOrPollPayment(op, order, payload)
}

/**
 * Records the arrival. Collected money is captured from the chain wallet's account, because it is now in the
 * treasury. Guard: no other run has recorded the arrival.
 */
async function recordArrival(op: Op, quote: QuoteRow, transaction: TransactionRow): Promise<Write[]> {
  const held = findCollectedHold(quote, transaction)
  return [
    ...(held
      ? capture(op, held)
      : postQuoteLegs(op, quote, buildFundingLegs(quote, 'clearing', quote.sending_amount))),
    movePull(op, quote, 'deliver'),
    ...buildSettlement(op, quote, transaction),
    ...(await buildWalletBalanceEvents(op, quote)),
  ]
}

/** The hold on a chain wallet from which the money is collected. */
function findCollectedHold(quote: QuoteRow, transaction: TransactionRow): Hold | undefined {
  if (!isCollected(quote)) return undefined
  const account = requireColumn(quote, 'source_account_id')
  return { ...buildHold(quote, account), holdId: requireColumn(transaction, 'hold_id') }
}

/**
 * Fails a quote whose pull failed. Nothing was credited, so nothing is refunded; the hold on a wallet is
 * released. Guard: no other run has recorded the arrival.
 */
async function failPull(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  detail: string,
): Promise<readonly Write[]> {
  const held = findCollectedHold(quote, transaction)
  const change = {
    failure_reason: 'QUOTE_EXECUTION_FAILED' as const,
    details: addCounterpartyDetails(transaction, { failureDetail: detail }),
  }
  const stateBefore = requireColumn(quote, 'pull_state')
  const pull_state = stateAfter(PULL_TRANSITIONS, stateBefore, 'fail', quote.id)
  const guard = { pull_state: stateBefore }
  return [
    ...(held ? [release(op, held)] : []),
    endQuote(op, quote, 'fail', { pull_state }, guard),
    ...moveTransaction(op, transaction, 'fail', change).writes,
    ...(await buildWalletBalanceEvents(op, quote)),
  ]
}

/**
 * Records that the bank reversed a pull. The quote's payment continues, so the payer now owes the amount to
 * the platform. Guards: the return has not been recorded, and the transaction is unchanged.
 */
function recordPullReturn(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  detail: string,
): readonly Write[] {
  const returnedAt = op.now.toISOString()
  const change = {
    details: addCounterpartyDetails(transaction, {
      fundingReturnedAt: returnedAt,
      fundingReturnDetail: detail,
    }),
    updated_at: op.now,
  }
  const row = { ...transaction, ...change }
  return [
    ...postQuoteLegs(op, quote, buildPullReturnLegs(quote)),
    movePull(op, quote, 'return'),
    update('transactions', transaction.id, { state: transaction.state }, change),
    event(op, 'OUTGOING_PAYMENT.FUNDING_RETURNED', transaction.id, toTransactionView(row, row)),
  ]
}

function postQuoteLegs(op: Op, quote: QuoteRow, legs: readonly Leg[]): Write[] {
  return post(op, { cause: 'quote', causeId: quote.id }, legs)
}

/** Guard: the state of the pull is unchanged. */
function movePull(op: Op, quote: QuoteRow, pullEvent: PullEvent): Write {
  return transition(op, 'pulls', PULL_TRANSITIONS, quote, pullEvent).write
}
