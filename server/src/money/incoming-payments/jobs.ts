import { buildBalanceEvent, findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { fitsBalance } from '../../kernel/ledger/balances.ts'
import { buildArrivalLegs, type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { moveTransaction } from '../../kernel/transactions/moves.ts'
import { findTransaction, toReceivedAmount } from '../../kernel/transactions/transactions.ts'
import { isDeleted } from '../../people/customers/customers.ts'
import { expectRow } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { moveDeposit, requireDeposit } from '../rails/deposit-rows.ts'
import { scheduleReturn } from './incoming-payments.ts'

/**
 * Credits an approved payment. If the account is closed, its customer was deleted or its balance would
 * overflow, nothing is posted and the payment is refunded: `REFUNDED`, `OFFRAMP_FAILED`.
 */
export const settleReceipt: JobHandler<'receipt.settle'> = async (op, payload) => {
  const receipt = await findTransaction(op, payload.transactionId)
  if (receipt.state !== 'PROCESSING') return []
  const account = await findInternalAccount(op, requireColumn(receipt, 'destination_account_id'))
  const customerId = requireColumn(receipt, 'customer_id')
  const { amount } = toReceivedAmount(receipt)
  const { deposit } = receipt.details
  const legs = deposit === undefined ? buildArrivalLegs(account, amount) : buildSuspenseLegs(account, amount)
  const canCredit =
    account.status === 'ACTIVE' && !(await isDeleted(op, customerId)) && (await fitsBalance(op, legs))
  if (!canCredit)
    return [
      ...moveTransaction(op, receipt, 'refund', { failure_reason: 'OFFRAMP_FAILED' }).writes,
      ...scheduleReturn(op, receipt),
    ]
  return [
    expectRow('customers', customerId, { deleted_at: null }),
    expectRow('internal_accounts', account.id, { status: 'ACTIVE' }),
    ...post(op, { cause: 'transaction', causeId: receipt.id }, legs),
    ...(deposit === undefined ? [] : [moveDeposit(op, await requireDeposit(op, deposit), 'credit').write]),
    ...moveTransaction(op, receipt, 'settle', { settled_at: op.now }).writes,
    buildBalanceEvent(op, account),
  ]
}

/** The legs that credit money held in suspense during the platform's decision. */
function buildSuspenseLegs({ id, currency }: InternalAccountRow, amount: bigint): Leg[] {
  return [
    { system: 'suspense', currency, amount: -amount },
    { account: id, currency, amount },
  ]
}

/**
 * Fails a payment that is still undecided at its deadline. The failure reason shows if the platform had
 * received the webhook.
 */
export const expireReceipt: JobHandler<'receipt.expire'> = async (op, payload) => {
  const receipt = await findTransaction(op, payload.transactionId)
  if (receipt.state !== 'PENDING') return []
  const { isTaken } = receipt.details
  const failure_reason = isTaken ? 'PAYMENT_APPROVAL_TIMED_OUT' : 'PAYMENT_APPROVAL_WEBHOOK_ERROR'
  return [...moveTransaction(op, receipt, 'fail', { failure_reason }).writes, ...scheduleReturn(op, receipt)]
}
