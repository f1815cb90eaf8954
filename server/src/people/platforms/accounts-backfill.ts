import { makeInternalAccount, openMissingPlatformAccounts } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { accountCurrencies, readPlatformConfig } from './platform-config.ts'
import { findPlatform } from './platforms.ts'
import { selectMissingAccounts } from './store.ts'

const ACCOUNTS_PER_JOB_MAX = 100

/**
 * The job that opens an account in each of the platform's currencies for the platform and for every approved
 * customer.
 */
export function accountsBackfill(op: Op, fromCustomerId = ''): Write {
  return job(op, 'accounts.backfill', { fromCustomerId }, op.now)
}

/**
 * Opens missing accounts of the platform and of its approved customers, a batch per job. Idempotent: it
 * selects what is missing, and an owner can have only one account per currency.
 */
export const backfillAccounts: JobHandler<'accounts.backfill'> = async (op, { fromCustomerId }) => {
  // Reads the current settings, because a change of currencies may be committed together with this job.
  const currencies = accountCurrencies(readPlatformConfig(op, await findPlatform(op)))
  const missing = await selectMissingAccounts(op, currencies, fromCustomerId, ACCOUNTS_PER_JOB_MAX)
  const last = missing.length === ACCOUNTS_PER_JOB_MAX ? missing.at(-1) : undefined
  return [
    ...(await openMissingPlatformAccounts(op, currencies)),
    ...missing.flatMap(({ customerId, currency }) => makeInternalAccount(op, customerId, currency)),
    ...(last ? [accountsBackfill(op, last.customerId)] : []),
  ]
}
