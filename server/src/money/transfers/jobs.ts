import { REFUND_INITIAL, REFUND_TRANSITIONS } from '@countersign/contract/states/payment-states'
import { buildBalanceEvent, findInternalAccount, isOwnerDeleted } from '../../kernel/accounts/accounts.ts'
import { fitsBalance } from '../../kernel/ledger/balances.ts'
import { capture, capturePart, type Hold, release } from '../../kernel/ledger/holds.ts'
import { buildArrivalLegs, type Cause, type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { Setback } from '../../kernel/ports/rail.ts'
import { moveTransaction, newRefund } from '../../kernel/transactions/moves.ts'
import {
  findTransaction,
  type TransactionWithCustomer,
  toReceivedAmount,
  toSentAmount,
  toTransactionView,
  withTransactionHash,
} from '../../kernel/transactions/transactions.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { JobPayloads } from '../../storage/rows/job.ts'
import type { InternalAccountRow, TransactionRow } from '../../storage/rows/tables.ts'
import { countDelivery, failVerificationByTransaction } from '../external-accounts/account-verifications.ts'
import { endFundsHold, findOpenHold, holdArrived } from '../rails/funds-holds.ts'
import { failBeforeSending, type RailReplied, submitOrPollPayment } from '../rails/rail-payments.ts'
import { takeBack } from '../rails/reverse-credit.ts'
import { type Delivered, type Returned, settlePayment } from '../rails/settle-payment.ts'
import type { Stage } from '../rails/settlement-table.ts'
import { buildTransferHold, toPaymentOrder } from './transfers.ts'

/** Adds writes to the write set that ends a transfer of the platform's own money. */
export type OwnTransferHook = (
  op: Op,
  transaction: TransactionRow,
  writes: readonly Write[],
) => Promise<readonly Write[]>

/**
 * Submits a transfer to its rail or polls its outcome, and moves the money when the outcome is known. A
 * delivered transfer may still be returned.
 */
export function createTransferSettler(runOwnTransferHook: OwnTransferHook): JobHandler<'transfer.settle'> {
  return async (op, payload) => {
    const transaction = await findTransaction(op, payload.transactionId)
    const writes = await settleTransfer(op, transaction, payload)
    return transaction.customer_id === null
      ? [...writes, ...(await runOwnTransferHook(op, transaction, writes))]
      : writes
  }
}

async function settleTransfer(
  op: Op,
  transaction: TransactionWithCustomer,
  payload: JobPayloads['transfer.settle'],
): Promise<readonly Write[]> {
  const stage = getStage(transaction)
  if (stage === 'ENDED') return []
  const isOutgoing = transaction.kind === 'TRANSFER_OUT'
  const accountId = requireColumn(transaction, isOutgoing ? 'source_account_id' : 'destination_account_id')
  const account = await findInternalAccount(op, accountId)
  return settlePayment({
    stage,
    callRail: () => submitOrPoll(op, transaction, account, payload),
    settle: (answer) => recordDelivery(op, transaction, account, answer),
    fail: (answer) => failDelivery(op, transaction, account, answer),
    bounce: (answer) => failDelivery(op, transaction, account, answer),
    reverse: (answer) =>
      isOutgoing
        ? refundReturned(op, transaction, account, answer)
        : reversePull(op, transaction, account, answer),
    schedulePoll: (at, asked) => job(op, 'transfer.settle', { ...payload, ...asked }, at),
  })
}

function getStage({ state }: TransactionRow): Stage {
  if (state === 'PENDING') return 'OPEN'
  return state === 'COMPLETED' ? 'SETTLED' : 'ENDED'
}

/**
 * Submits a transfer, or polls it. A pull that would overflow the balance is not submitted; a submitted pull
 * may be on its way, so it is always polled.
 */
async function submitOrPoll(
  op: Op,
  transaction: TransactionRow,
  account: InternalAccountRow,
  payload: JobPayloads['transfer.settle'],
): Promise<RailReplied> {
  const alreadySubmitted = payload.alreadySubmitted === true
  const isPull = transaction.kind === 'TRANSFER_IN'
  const submittedAt = new Date(payload.submittedAt ?? transaction.created_at)
  const order = { ...toPaymentOrder(transaction), submittedAt }
  if (
    isPull &&
    !alreadySubmitted &&
    !(await fitsBalance(op, buildArrivalLegs(account, toReceivedAmount(transaction).amount)))
  ) {
    const detail = 'The account balance would exceed its maximum'
    return failBeforeSending(op, order, { outcome: 'failed', failureReason: 'OFFRAMP_FAILED', detail })
  }
  return submitOrPollPayment(op, order, payload)
}

async function recordDelivery(
  op: Op,
  transaction: TransactionWithCustomer,
  account: InternalAccountRow,
  answer: Delivered,
): Promise<readonly Write[]> {
  const change = { settled_at: op.now, ...withTransactionHash(transaction, answer) }
  return [
    ...moveMoney(op, transaction, account),
    ...(await holdAtArrival(op, transaction, account)),
    ...moveTransaction(op, transaction, 'settle', change).writes,
    buildBalanceEvent(op, account),
    ...(transaction.details.isMicroDeposit ? await countDelivery(op, transaction.id) : []),
  ]
}

/** Holds the money that a transfer in has just credited, if a platform rule requires it. */
async function holdAtArrival(
  op: Op,
  transaction: TransactionRow,
  account: InternalAccountRow,
): Promise<readonly Write[]> {
  if (transaction.kind !== 'TRANSFER_IN') return []
  return holdArrived(op, account, {
    transactionId: transaction.id,
    externalAccountId: requireColumn(transaction, 'source_account_id'),
    customerId: transaction.customer_id,
    rail: transaction.details.rail,
    ...toReceivedAmount(transaction),
  })
}

/**
 * Fails a transfer that was never sent, or that was returned before it was completed. A transfer in has not
 * credited anything at that point.
 */
async function failDelivery(
  op: Op,
  transaction: TransactionWithCustomer,
  account: InternalAccountRow,
  answer: Setback,
): Promise<readonly Write[]> {
  const { writes } = moveTransaction(op, transaction, 'fail', toFailure(transaction, answer))
  if (transaction.kind !== 'TRANSFER_OUT') return writes
  const released = [release(op, requireHold(transaction, account)), ...writes, buildBalanceEvent(op, account)]
  return [...released, ...(await failMicroDepositVerification(op, transaction, answer))]
}

/** Fails an account verification if the transfer is one of its deposits. */
async function failMicroDepositVerification(
  op: Op,
  { id, details }: TransactionRow,
  { detail }: Setback,
): Promise<readonly Write[]> {
  return details.isMicroDeposit ? failVerificationByTransaction(op, id, detail) : []
}

function toFailure(transaction: TransactionRow, { failureReason, detail }: Setback) {
  const details = { ...transaction.details, counterparty: { failureDetail: detail } }
  return { failure_reason: failureReason, details }
}

/**
 * Credits the account again after the receiving bank has returned the money. If the customer was deleted in
 * the meantime, the money goes to the refunds account for the platform to handle.
 */
async function refundReturned(
  op: Op,
  transaction: TransactionWithCustomer,
  account: InternalAccountRow,
  answer: Returned,
): Promise<readonly Write[]> {
  const { amount, currency } = toSentAmount(transaction)
  const { rail } = transaction.details
  const isOwnerGone = await isOwnerDeleted(op, account.id)
  const status = REFUND_TRANSITIONS[REFUND_INITIAL][isOwnerGone ? 'fail' : 'complete']
  const refund = { ...newRefund(op, answer.reason), status, settledAt: op.now.toISOString() }
  const fees = transaction.fees ?? 0n
  const legs: Leg[] = [
    { system: 'rail', rail, currency, amount: fees - amount },
    ...(fees > 0n ? [{ system: 'fees', currency, amount: -fees } as const] : []),
    isOwnerGone ? { system: 'refunds', currency, amount } : { account: account.id, currency, amount },
  ]
  return [
    ...post(op, toTransferCause(transaction), legs),
    ...moveTransaction(op, transaction, 'return', { ...toFailure(transaction, answer), refund }).writes,
    ...(isOwnerGone ? [] : [buildBalanceEvent(op, account)]),
    ...(await failMicroDepositVerification(op, transaction, answer)),
  ]
}

/**
 * Debits the money of a pull that the paying bank has reversed: from its hold if it is still held, otherwise
 * from the account. Any shortfall is owed to the platform.
 */
async function reversePull(
  op: Op,
  transaction: TransactionWithCustomer,
  account: InternalAccountRow,
  { failureReason, detail }: Setback,
): Promise<readonly Write[]> {
  const { rail } = transaction.details
  const to = { system: 'rail', rail, ...toReceivedAmount(transaction) } as const
  const openHold = await findOpenHold(op, transaction.id)
  const { writes, shortfall } = openHold
    ? { ...endFundsHold(op, openHold, 'return'), shortfall: 0n }
    : await takeBack(op, toTransferCause(transaction), account, to)
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
    event(op, 'INCOMING_PAYMENT.RETURNED', transaction.id, toTransactionView(moved.row, moved.row)),
    buildBalanceEvent(op, account),
  ]
}

function toTransferCause({ id }: TransactionRow): Cause {
  return { cause: 'transaction', causeId: id }
}

function moveMoney(op: Op, transaction: TransactionRow, account: InternalAccountRow): Write[] {
  if (transaction.kind === 'TRANSFER_OUT') return payFromHold(op, transaction, account)
  const legs = buildArrivalLegs(account, toReceivedAmount(transaction).amount, transaction.details.rail)
  return post(op, toTransferCause(transaction), legs)
}

/**
 * Pays the rail from the hold, except for the chain fee, which the platform has already paid on the chain.
 */
function payFromHold(op: Op, transaction: TransactionRow, account: InternalAccountRow): Write[] {
  const held = requireHold(transaction, account)
  const fees = transaction.fees ?? 0n
  if (fees === 0n) return capture(op, held)
  const { currency } = held
  return [
    ...capturePart(op, toTransferCause(transaction), held, held.amount - fees, false).writes,
    ...post(op, toTransferCause(transaction), [
      { account: account.id, currency, amount: -fees },
      { system: 'fees', currency, amount: fees },
    ]),
  ]
}

function requireHold(transaction: TransactionRow, account: InternalAccountRow): Hold {
  return { ...buildTransferHold(transaction, account), holdId: requireColumn(transaction, 'hold_id') }
}
