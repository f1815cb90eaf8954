import { balanceUpdated, findInternalAccount } from '../accounts/accounts.ts'
import { isDeleted } from '../customers/customers.ts'
import { expectRow } from '../db/commit/writes.ts'
import { required } from '../db/read/required.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { arrivalLegs, hasRoom, post } from '../ledger/ledger.ts'
import { moveTransaction } from '../transactions/moves.ts'
import { findTransaction, receivedOf } from '../transactions/transactions.ts'

/**
 * Credits an accepted payment. Where the account can no longer take it, because its customer was deleted, it was closed or
 * its balance would be too large, nothing is posted and the payment is refunded: `REFUNDED`, `OFFRAMP_FAILED`.
 */
export const settleReceipt: JobHandler<'receipt.settle'> = async (op, payload) => {
  const receipt = await findTransaction(op, payload.transactionId)
  if (receipt.state !== 'PROCESSING') return []
  const account = await findInternalAccount(op, required(receipt, 'destination_account_id'))
  const customerId = required(receipt, 'customer_id')
  const legs = arrivalLegs(account, receivedOf(receipt).amount)
  const canTake =
    account.status === 'ACTIVE' && !(await isDeleted(op, customerId)) && (await hasRoom(op, legs))
  if (!canTake) return moveTransaction(op, receipt, 'refund', { failure_reason: 'OFFRAMP_FAILED' }).writes
  return [
    expectRow('customers', customerId, { deleted_at: null }),
    expectRow('internal_accounts', account.id, { status: 'ACTIVE' }),
    ...post(op, { cause: 'transaction', causeId: receipt.id }, legs),
    ...moveTransaction(op, receipt, 'settle', { settled_at: op.now }).writes,
    balanceUpdated(op, account),
  ]
}

/** Fails an undecided payment at its deadline. The reason says whether the platform had received the question. */
export const expireReceipt: JobHandler<'receipt.expire'> = async (op, payload) => {
  const receipt = await findTransaction(op, payload.transactionId)
  if (receipt.state !== 'PENDING') return []
  const { isTaken } = receipt.details
  const failure_reason = isTaken ? 'PAYMENT_APPROVAL_TIMED_OUT' : 'PAYMENT_APPROVAL_WEBHOOK_ERROR'
  return moveTransaction(op, receipt, 'fail', { failure_reason }).writes
}
