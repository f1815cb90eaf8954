import { buildBalanceEvent, findInternalAccount, isOwnerDeleted } from '../../kernel/accounts/accounts.ts'
import { findBalances } from '../../kernel/ledger/balances.ts'
import { post } from '../../kernel/ledger/transfers.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { Write } from '../../storage/commit/writes.ts'

/**
 * The interval for retrying. The payments' holds are released an hour after the chain no longer accepts the
 * payments.
 */
const RETRY_SECONDS = 60

/**
 * Records a debt: a chain wallet has spent money that was held for payments. These payments fail on the
 * chain, and the money that they release repays the debt. `transactionId` is the record of the spending.
 */
export function recordWalletDebt(op: Op, accountId: string, transactionId: string, owed: bigint): Write {
  const payload = { accountId, transactionId, owed: String(owed) }
  return job(op, 'wallet.repay', payload, addSeconds(op.now, RETRY_SECONDS))
}

/**
 * Takes a wallet's debt from its available balance, and schedules a retry for the remaining debt. If the
 * customer was deleted, the debt stays open.
 */
export const repayFromWallet: JobHandler<'wallet.repay'> = async (op, { accountId, transactionId, owed }) => {
  const account = await findInternalAccount(op, accountId)
  if (await isOwnerDeleted(op, accountId)) return []
  const available = (await findBalances(op, [accountId])).get(accountId)?.available ?? 0n
  const remainingDebt = BigInt(owed)
  const amount = available < remainingDebt ? available : remainingDebt
  const { currency } = account
  return [
    ...post(op, { cause: 'transaction', causeId: transactionId }, [
      { account: accountId, currency, amount: -amount },
      { system: 'receivables', currency, amount },
    ]),
    ...(amount > 0n ? [buildBalanceEvent(op, account)] : []),
    ...(amount < remainingDebt
      ? [recordWalletDebt(op, accountId, transactionId, remainingDebt - amount)]
      : []),
  ]
}
