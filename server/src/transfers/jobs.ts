import { REFUND_INITIAL, REFUND_TRANSITIONS } from '@countersign/contract/core/states'
import { balanceUpdated, findInternalAccount, isOwnerDeleted } from '../accounts/accounts.ts'
import type { Write } from '../db/commit/writes.ts'
import { required } from '../db/read/required.ts'
import type { JobKnowledge, JobPayloads } from '../db/schema/job-tables.ts'
import type { InternalAccountRow, TransactionRow } from '../db/schema/tables.ts'
import { event } from '../events/events.ts'
import { job } from '../jobs/jobs.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { arrivalLegs, type Cause, capture, type Held, hasRoom, post, release } from '../ledger/ledger.ts'
import type { Op } from '../op/app.ts'
import type { RailAnswer } from '../ports/rail.ts'
import { askRail, notGiven, type Said } from '../rails/rail-payments.ts'
import { takeBack } from '../rails/take-back.ts'
import { moveTransaction, newRefund } from '../transactions/moves.ts'
import {
  findTransaction,
  hashed,
  receivedOf,
  sentOf,
  type TransactionWithCustomer,
  transactionView,
} from '../transactions/transactions.ts'
import { carriedOf, heldFor } from './transfers.ts'

/**
 * Gives a transfer to its rail, or asks for its outcome, and moves the money once that is known. Money may come back after it
 * was delivered.
 */
export const settleTransfer: JobHandler<'transfer.settle'> = async (op, payload, known) => {
  const transaction = known?.transaction ?? (await findTransaction(op, payload.transactionId))
  if (transaction.state !== 'PENDING' && transaction.state !== 'COMPLETED') return []
  const isOut = transaction.kind === 'TRANSFER_OUT'
  const accountId = required(transaction, isOut ? 'source_account_id' : 'destination_account_id')
  const account = known?.account ?? (await findInternalAccount(op, accountId))
  const said = await ask(op, transaction, account, payload, known)
  const moved =
    transaction.state === 'COMPLETED'
      ? await afterCompletion(op, transaction, account, said.answer)
      : outcome(op, transaction, account, said.answer)
  const again =
    'askAgainAt' in said.answer && said.answer.askAgainAt !== undefined
      ? [job(op, 'transfer.settle', { ...payload, isAsked: true }, said.answer.askAgainAt)]
      : []
  return [...said.writes, ...moved, ...again]
}

/** Pulls nothing that would overflow the balance. Money pulled before may be on its way, so its outcome is asked for. */
async function ask(
  op: Op,
  transaction: TransactionRow,
  account: InternalAccountRow,
  payload: JobPayloads['transfer.settle'],
  known: JobKnowledge['transfer.settle'] | undefined,
): Promise<Said> {
  const isAsked = payload.isAsked === true
  const isPull = transaction.kind === 'TRANSFER_IN'
  const submittedAt = new Date(payload.submittedAt ?? transaction.created_at)
  const carried = { ...carriedOf(transaction), submittedAt }
  if (isPull && !isAsked && !(await hasRoom(op, arrivalLegs(account, receivedOf(transaction).amount)))) {
    const detail = 'The balance of the account would be too large'
    return notGiven(op, carried, { outcome: 'failed', failureReason: 'OFFRAMP_FAILED', detail })
  }
  return askRail(op, carried, isAsked, known)
}

/** What the answer does to a transfer that is under way. */
function outcome(
  op: Op,
  transaction: TransactionWithCustomer,
  account: InternalAccountRow,
  answer: RailAnswer,
): readonly Write[] {
  if (answer.outcome === 'accepted' || answer.outcome === 'unknown') return []
  if (answer.outcome === 'delivered') {
    const change = { settled_at: op.now, ...hashed(transaction, answer) }
    return [
      ...moneyMoved(op, transaction, account),
      ...moveTransaction(op, transaction, 'settle', change).writes,
      balanceUpdated(op, account),
    ]
  }
  const change = failedBy(transaction, answer)
  const { writes } = moveTransaction(op, transaction, 'fail', change)
  // A transfer in that was returned before it completed has moved no money either.
  return transaction.kind === 'TRANSFER_OUT'
    ? [release(op, heldOf(transaction, account)), ...writes, balanceUpdated(op, account)]
    : writes
}

type Setback = Extract<RailAnswer, { outcome: 'failed' | 'returned' }>

function failedBy(transaction: TransactionRow, { failureReason, detail }: Setback) {
  const details = { ...transaction.details, counterparty: { failureDetail: detail } }
  return { failure_reason: failureReason, details }
}

/** What the answer does to a transfer that was completed: it may have come back. */
async function afterCompletion(
  op: Op,
  transaction: TransactionWithCustomer,
  account: InternalAccountRow,
  answer: RailAnswer,
): Promise<readonly Write[]> {
  if (answer.outcome !== 'returned') return []
  return transaction.kind === 'TRANSFER_OUT'
    ? cameBack(op, transaction, account, answer)
    : takenBack(op, transaction, account, answer)
}

/**
 * The receiving bank has sent the money back: it is on the account again. Where the customer was deleted meanwhile, it is in
 * the refunds account, for the platform to handle.
 */
async function cameBack(
  op: Op,
  transaction: TransactionWithCustomer,
  account: InternalAccountRow,
  answer: Setback & { outcome: 'returned' },
): Promise<readonly Write[]> {
  const { amount, currency } = sentOf(transaction)
  const { rail } = transaction.details
  const isGone = await isOwnerDeleted(op, account.id)
  const status = REFUND_TRANSITIONS[REFUND_INITIAL][isGone ? 'fail' : 'complete']
  const refund = { ...newRefund(op, answer.reason), status, settledAt: op.now.toISOString() }
  const legs = isGone
    ? ([
        { system: 'refunds', currency, amount },
        { system: 'rail', rail, currency, amount: -amount },
      ] as const)
    : arrivalLegs(account, amount, rail)
  return [
    ...post(op, causeOf(transaction), legs),
    ...moveTransaction(op, transaction, 'return', { ...failedBy(transaction, answer), refund }).writes,
    ...(isGone ? [] : [balanceUpdated(op, account)]),
  ]
}

/** The paying bank has taken back what was pulled. What the account no longer has is owed to the platform. */
async function takenBack(
  op: Op,
  transaction: TransactionWithCustomer,
  account: InternalAccountRow,
  { failureReason, detail }: Setback,
): Promise<readonly Write[]> {
  const { rail } = transaction.details
  const to = { system: 'rail', rail, ...receivedOf(transaction) } as const
  const { writes, shortfall } = await takeBack(op, causeOf(transaction), account, to)
  const counterparty = {
    fundingReturnedAt: op.now.toISOString(),
    fundingReturnDetail: detail,
    ...(shortfall > 0n ? { shortfall: String(shortfall) } : {}),
  }
  const details = { ...transaction.details, counterparty }
  const moved = moveTransaction(op, transaction, 'return', { failure_reason: failureReason, details })
  return [
    ...writes,
    ...moved.writes,
    event(op, 'INCOMING_PAYMENT.RETURNED', transaction.id, transactionView(moved.row, moved.row)),
    balanceUpdated(op, account),
  ]
}

function causeOf({ id }: TransactionRow): Cause {
  return { cause: 'transaction', causeId: id }
}

function moneyMoved(op: Op, transaction: TransactionRow, account: InternalAccountRow): Write[] {
  if (transaction.kind === 'TRANSFER_OUT') return capture(op, heldOf(transaction, account))
  const legs = arrivalLegs(account, receivedOf(transaction).amount, transaction.details.rail)
  return post(op, causeOf(transaction), legs)
}

function heldOf(transaction: TransactionRow, account: InternalAccountRow): Held {
  return { ...heldFor(transaction, account), holdId: required(transaction, 'hold_id') }
}
