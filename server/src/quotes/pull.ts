import { PULL_TRANSITIONS, type PullEvent } from '@countersign/contract/core/states'
import { update, type Write } from '../db/commit/writes.ts'
import { required } from '../db/read/required.ts'
import type { JobPayloads } from '../db/schema/job-tables.ts'
import type { QuoteRow, TransactionRow } from '../db/schema/tables.ts'
import { event } from '../events/events.ts'
import { job } from '../jobs/jobs.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { capture, type Held, hasRoom, type Leg, post, release } from '../ledger/ledger.ts'
import type { Op } from '../op/app.ts'
import { stateAfter, transition } from '../op/transition.ts'
import type { RailAnswer } from '../ports/rail.ts'
import { askRail, notGiven, type Said } from '../rails/rail-payments.ts'
import { moveTransaction } from '../transactions/moves.ts'
import {
  findTransaction,
  type TransactionWithCustomer,
  transactionView,
} from '../transactions/transactions.ts'
import { pullOf } from './carried.ts'
import { isCollected, signedTransfers } from './on-chain.ts'
import { findQuote, settlement } from './quotes.ts'
import {
  endQuote,
  explained,
  fundingLegs,
  heldFor,
  pullReturnLegs,
  walletBalanceUpdated,
} from './settlement.ts'

/**
 * Pulls the money of an executed quote from the external account that pays it, or collects it from the wallet on a chain, or asks the
 * rail for the outcome. Once it arrives, the quote goes on as if it had been paid in. The bank may take it back for as long as the
 * rail asks to be polled.
 */
export const pullTransaction: JobHandler<'transaction.pull'> = async (op, payload) => {
  const transaction = await findTransaction(op, payload.transactionId)
  const quote = await findQuote(op, required(transaction, 'quote_id'))
  if (quote.pull_state !== 'PENDING' && quote.pull_state !== 'PULLED') return []
  const submittedAt = new Date(payload.executedAt)
  const said = await pullFromSource(op, quote, transaction, submittedAt, payload.isAsked === true)
  return [...said.writes, ...(await outcome(op, quote, transaction, said.answer, payload))]
}

/** What the answer of the rail does to the quote. */
async function outcome(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  pulled: RailAnswer,
  payload: JobPayloads['transaction.pull'],
): Promise<readonly Write[]> {
  const wasPulled = quote.pull_state === 'PULLED'
  const again =
    'askAgainAt' in pulled && pulled.askAgainAt
      ? [job(op, 'transaction.pull', { ...payload, isAsked: true }, pulled.askAgainAt)]
      : []
  switch (pulled.outcome) {
    case 'accepted':
    case 'unknown':
      return again
    case 'delivered':
      return wasPulled ? again : [...(await arrived(op, quote, transaction)), ...again]
    case 'failed':
      return wasPulled ? [] : refused(op, quote, transaction, pulled.detail)
    case 'returned':
      return wasPulled
        ? returned(op, quote, transaction, pulled.detail)
        : refused(op, quote, transaction, pulled.detail)
  }
}

async function pullFromSource(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionRow,
  submittedAt: Date,
  isAsked: boolean,
): Promise<Said> {
  // Pulls nothing that would overflow a balance. Money pulled before may be on its way, so its outcome is asked for.
  const carried = { ...pullOf(quote, transaction), submittedAt }
  if (isCollected(quote)) return askRail(op, { ...carried, sign: () => signedTransfers(op, quote) }, isAsked)
  if (!isAsked && !(await hasRoom(op, fundingLegs(quote, 'clearing', quote.sending_amount)))) {
    const detail = 'The balance of an account would be too large'
    return notGiven(op, carried, { outcome: 'failed', failureReason: 'QUOTE_EXECUTION_FAILED', detail })
  }
  return askRail(op, carried, isAsked)
}

/**
 * Records the arrival. What a wallet on a chain held is taken from its account: it is in the treasury now. Guard: no other run has
 * recorded it.
 */
async function arrived(op: Op, quote: QuoteRow, transaction: TransactionRow): Promise<Write[]> {
  const held = collectedHold(quote, transaction)
  return [
    ...(held ? capture(op, held) : postFor(op, quote, fundingLegs(quote, 'clearing', quote.sending_amount))),
    movePull(op, quote, 'deliver'),
    ...settlement(op, quote, transaction),
    ...(await walletBalanceUpdated(op, quote)),
  ]
}

/** What a wallet on a chain holds until its money was collected. */
function collectedHold(quote: QuoteRow, transaction: TransactionRow): Held | undefined {
  if (!isCollected(quote)) return undefined
  const account = required(quote, 'source_account_id')
  return { ...heldFor(quote, account), holdId: required(transaction, 'hold_id') }
}

/**
 * Fails a quote whose pull failed: nothing is credited, nothing is refunded, and a wallet has what it held. Guard: no other run has
 * recorded its arrival, after which the money is there.
 */
async function refused(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  detail: string,
): Promise<readonly Write[]> {
  const held = collectedHold(quote, transaction)
  const change = {
    failure_reason: 'QUOTE_EXECUTION_FAILED' as const,
    details: explained(transaction, { failureDetail: detail }),
  }
  const before = required(quote, 'pull_state')
  const pull_state = stateAfter(PULL_TRANSITIONS, before, 'fail', quote.id)
  const guard = { pull_state: before }
  return [
    ...(held ? [release(op, held)] : []),
    endQuote(op, quote, 'fail', { pull_state }, guard),
    ...moveTransaction(op, transaction, 'fail', change).writes,
    ...(await walletBalanceUpdated(op, quote)),
  ]
}

/**
 * Records that the bank takes back what was pulled. The payment of the quote stays as it is, so the amount is now owed to
 * the platform. Guards: it was not taken back before, the transaction is unchanged.
 */
function returned(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  detail: string,
): readonly Write[] {
  const returnedAt = op.now.toISOString()
  const change = {
    details: explained(transaction, { fundingReturnedAt: returnedAt, fundingReturnDetail: detail }),
    updated_at: op.now,
  }
  const row = { ...transaction, ...change }
  return [
    ...postFor(op, quote, pullReturnLegs(quote)),
    movePull(op, quote, 'return'),
    update('transactions', transaction.id, { state: transaction.state }, change),
    event(op, 'OUTGOING_PAYMENT.FUNDING_RETURNED', transaction.id, transactionView(row, row)),
  ]
}

function postFor(op: Op, quote: QuoteRow, legs: readonly Leg[]): Write[] {
  return post(op, { cause: 'quote', causeId: quote.id }, legs)
}

/** Guard: its state is unchanged. */
function movePull(op: Op, quote: QuoteRow, by: PullEvent): Write {
  return transition(op, 'pulls', PULL_TRANSITIONS, quote, by).write
}
