import { balanceUpdated, findInternalAccount, isOwnerDeleted } from '../../kernel/accounts/accounts.ts'
import { findBalances } from '../../kernel/ledger/balances.ts'
import { post } from '../../kernel/ledger/transfers.ts'
import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { Write } from '../../storage/commit/writes.ts'

/**
 * The interval for retrying to take a wallet's debt. The holds of the payments are released an hour after
 * these could no longer be made.
 */
const RETRY_SECONDS = 60

/**
 * Records a debt: a chain wallet has spent money with its own key that was held for payments. Those payments
 * fail on the chain, and the money they release repays the debt. `transactionId` is the record of the
 * spending.
 */
export function recordWalletDebt(op: Op, accountId: string, transactionId: string, owed: bigint): Write {
  const payload = { accountId, transactionId, owed: String(owed) }
  return job(op, 'wallet.repay', payload, plusSeconds(op.now, RETRY_SECONDS))
}

/**
 * Takes a wallet's debt from its available balance, and retries for the rest. If the customer was deleted,
 * the debt stays open.
 */
export const repayFromWallet: JobHandler<'wallet.repay'> = async (op, { accountId, transactionId, owed }) => {
  const account = await findInternalAccount(op, accountId)
  if (await isOwnerDeleted(op, accountId)) return []
  const available = (await findBalances(op, [accountId])).get(accountId)?.available ?? 0n
  const rest = BigInt(owed)
  const amount = available < rest ? available : rest
  const { currency } = account
  return [
    ...post(op, { cause: 'transaction', causeId: transactionId }, [
      { account: accountId, currency, amount: -amount },
      { system: 'receivables', currency, amount },
    ]),
    ...(amount > 0n ? [balanceUpdated(op, account)] : []),
    ...(amount < rest ? [recordWalletDebt(op, accountId, transactionId, rest - amount)] : []),
  ]
}
