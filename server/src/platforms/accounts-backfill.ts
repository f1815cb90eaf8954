import { makeInternalAccount, openMissingPlatformAccounts } from '../accounts/accounts.ts'
import type { Write } from '../db/commit/writes.ts'
import { job } from '../jobs/jobs.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import type { Op } from '../op/app.ts'
import { accountCurrencies, findPlatform, readPlatformConfig } from './platforms.ts'
import { selectMissingAccounts } from './store.ts'

const ACCOUNTS_PER_JOB_MAX = 100

/** The due work that gives the platform and every approved customer an account in each of its currencies. */
export function accountsBackfill(op: Op, fromCustomerId = ''): Write {
  return job(op, 'accounts.backfill', { fromCustomerId }, op.now)
}

/**
 * Opens the accounts that the platform and its approved customers lack, a hundred at a time; what is left is a job of its
 * own. Doing it again opens nothing twice: it looks for what is missing, and one account per owner and currency is all
 * there can be.
 */
export const backfillAccounts: JobHandler<'accounts.backfill'> = async (op, { fromCustomerId }) => {
  // As they are now: the work may begin with the very change of the settings that causes it.
  const currencies = accountCurrencies(readPlatformConfig(op, await findPlatform(op)))
  const missing = await selectMissingAccounts(op, currencies, fromCustomerId, ACCOUNTS_PER_JOB_MAX)
  const last = missing.length === ACCOUNTS_PER_JOB_MAX ? missing.at(-1) : undefined
  return [
    ...(await openMissingPlatformAccounts(op, currencies)),
    ...missing.flatMap(({ customerId, currency }) => makeInternalAccount(op, customerId, currency)),
    ...(last ? [accountsBackfill(op, last.customerId)] : []),
  ]
}
