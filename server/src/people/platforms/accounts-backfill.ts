import { makeInternalAccount, openMissingPlatformAccounts } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { accountCurrencies, readPlatformConfig } from './platform-config.ts'
import { findPlatform } from './platforms.ts'
import { selectMissingAccounts } from './store.ts'

const ACCOUNTS_PER_JOB_MAX = 100

/** The job that opens an account in each of the platform's currencies, for it and every approved customer. */
export function accountsBackfill(op: Op, fromCustomerId = ''): Write {
  return job(op, 'accounts.backfill', { fromCustomerId }, op.now)
}

/**
 * Opens the missing accounts of the platform and its approved customers, a hundred at a time; another job opens the rest.
 * Running it again opens nothing twice: it selects what is missing, and there is at most one account per owner and
 * currency.
 */
export const backfillAccounts: JobHandler<'accounts.backfill'> = async (op, { fromCustomerId }) => {
  // Reads the current settings, because the job may start with the change that causes it.
  const currencies = accountCurrencies(readPlatformConfig(op, await findPlatform(op)))
  const missing = await selectMissingAccounts(op, currencies, fromCustomerId, ACCOUNTS_PER_JOB_MAX)
  const last = missing.length === ACCOUNTS_PER_JOB_MAX ? missing.at(-1) : undefined
  return [
    ...(await openMissingPlatformAccounts(op, currencies)),
    ...missing.flatMap(({ customerId, currency }) => makeInternalAccount(op, customerId, currency)),
    ...(last ? [accountsBackfill(op, last.customerId)] : []),
  ]
}
