import { balanceUpdated, findInternalAccount } from '../accounts/accounts.ts'
import type { Write } from '../db/commit/writes.ts'
import { required } from '../db/read/required.ts'
import type { InternalAccountRow, TransactionRow } from '../db/schema/tables.ts'
import { job } from '../jobs/jobs.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { arrivalLegs, type Cause, capture, type Held, hasRoom, post, release } from '../ledger/ledger.ts'
import type { Op } from '../op/app.ts'
import type { Rail, RailAnswer, RailPayment } from '../ports/rail.ts'
import { moveTransaction } from '../transactions/moves.ts'
import { findTransaction, hashed, receivedOf } from '../transactions/transactions.ts'
import { heldFor } from './transfers.ts'

/** Submits a transfer to the rail, or asks for its outcome, and moves the money once that is known. */
export const settleTransfer: JobHandler<'transfer.settle'> = async (op, payload, known) => {
  const transaction = known?.transaction ?? (await findTransaction(op, payload.transactionId))
  if (transaction.state !== 'PENDING') return []
  if (!op.rail) throw new Error('There is no payment rail')
  const isOut = transaction.kind === 'TRANSFER_OUT'
  const accountId = required(transaction, isOut ? 'source_account_id' : 'destination_account_id')
  const account = known?.account ?? (await findInternalAccount(op, accountId))
  const submittedAt = new Date(payload.submittedAt ?? transaction.created_at)
  const payment = paymentOf(op, transaction, submittedAt)
  const delivery = isOut
    ? await op.rail.send(payment)
    : await pullWhereRoom(op, op.rail, payment, account, payload.isAsked === true)
  if (delivery.outcome === 'pending')
    return [job(op, 'transfer.settle', { ...payload, isAsked: true }, delivery.askAgainAt)]
  if (delivery.outcome === 'delivered')
    return [
      ...moneyMoved(op, transaction, account),
      ...moveTransaction(op, transaction, 'settle', { settled_at: op.now, ...hashed(transaction, delivery) })
        .writes,
      balanceUpdated(op, account),
    ]
  const change = {
    failure_reason: delivery.failureReason,
    details: { ...transaction.details, counterparty: { failureDetail: delivery.detail } },
  }
  const { writes } = moveTransaction(op, transaction, 'fail', change)
  // A transfer in that was returned before it completed has moved no money either.
  return isOut ? [release(op, heldOf(transaction, account)), ...writes, balanceUpdated(op, account)] : writes
}

/** Pulls nothing that would overflow the balance. Money pulled before may be on its way, so its outcome is asked for. */
async function pullWhereRoom(
  op: Op,
  rail: Rail,
  payment: RailPayment,
  account: InternalAccountRow,
  isAsked: boolean,
): Promise<RailAnswer> {
  if (isAsked || (await hasRoom(op, arrivalLegs(account, payment.amount)))) return rail.pull(payment)
  return {
    outcome: 'failed',
    failureReason: 'OFFRAMP_FAILED',
    detail: 'The balance of the account would be too large',
  }
}

function moneyMoved(op: Op, transaction: TransactionRow, account: InternalAccountRow): Write[] {
  if (transaction.kind === 'TRANSFER_OUT') return capture(op, heldOf(transaction, account))
  const cause: Cause = { cause: 'transaction', causeId: transaction.id }
  return post(op, cause, arrivalLegs(account, receivedOf(transaction).amount))
}

function heldOf(transaction: TransactionRow, account: InternalAccountRow): Held {
  return { ...heldFor(transaction, account), holdId: required(transaction, 'hold_id') }
}

function paymentOf(op: Op, transaction: TransactionRow, submittedAt: Date): RailPayment {
  return {
    transactionId: transaction.id,
    purpose: 'transfer',
    identifier: transaction.destination_identifier ?? required(transaction, 'source_identifier'),
    paymentRail: transaction.payment_rail,
    chain: transaction.details.chain ?? null,
    ...receivedOf(transaction),
    reference: transaction.reference,
    remittanceInformation: transaction.remittance_information,
    submittedAt,
    now: op.now,
  }
}
