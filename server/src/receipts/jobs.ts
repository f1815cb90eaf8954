import { balanceUpdated, findInternalAccount } from '../accounts/accounts.ts'
import { isDeleted } from '../customers/customers.ts'
import { expectRow } from '../db/commit/writes.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { arrivalLegs, hasRoom, post } from '../ledger/ledger.ts'
import { moveTransaction } from '../transactions/moves.ts'
import { findTransaction } from '../transactions/transactions.ts'
import type { ReceiptDetails } from './receipts.ts'

/**
 * Credits an accepted payment. Where the account can no longer take it, because its customer was deleted, it was closed or
 * its balance would be too large, nothing is posted and the payment is refunded: `REFUNDED`, `OFFRAMP_FAILED`.
 */
export const settleReceipt: JobHandler = async (op, payload) => {
  const receipt = await findTransaction(op, payload.transactionId as string)
  if (receipt.state !== 'PROCESSING') return []
  const account = await findInternalAccount(op, receipt.destination_account_id!)
  const legs = arrivalLegs(account, receipt.received_amount!)
  const canTake =
    account.status === 'ACTIVE' && !(await isDeleted(op, receipt.customer_id!)) && (await hasRoom(op, legs))
  if (!canTake) return moveTransaction(op, receipt, 'refund', { failure_reason: 'OFFRAMP_FAILED' }).writes
  return [
    expectRow('customers', receipt.customer_id!, { deleted_at: null }),
    expectRow('internal_accounts', account.id, { status: 'ACTIVE' }),
    ...post(op, { cause: 'transaction', causeId: receipt.id }, legs),
    ...moveTransaction(op, receipt, 'settle', { settled_at: op.now }).writes,
    balanceUpdated(op, account),
  ]
}

/** Fails an undecided payment at its deadline. The reason says whether the platform had received the question. */
export const expireReceipt: JobHandler = async (op, payload) => {
  const receipt = await findTransaction(op, payload.transactionId as string)
  if (receipt.state !== 'PENDING') return []
  const { isTaken } = receipt.details as ReceiptDetails
  const failure_reason = isTaken ? 'PAYMENT_APPROVAL_TIMED_OUT' : 'PAYMENT_APPROVAL_WEBHOOK_ERROR'
  return moveTransaction(op, receipt, 'fail', { failure_reason }).writes
}
