import { makeInternalAccount, openMissingPlatformAccounts } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { listAccountCurrencies, readPlatformConfig } from './platform-config.ts'
import { findPlatform } from './platforms.ts'
import { selectMissingAccounts } from './store.ts'

const ACCOUNTS_PER_JOB_MAX = 100

/**
 * Schedules a job that opens an account in each of the platform's currencies for the platform and for every
 * approved customer.
 */
export function scheduleAccountsBackfill(op: Op, fromCustomerId = ''): Write {
  return job(op, 'accounts.backfill', { fromCustomerId }, op.now)
}

/**
 * Opens missing accounts of the platform and its approved customers, one batch per job. Idempotent: it
 * selects missing accounts, and an owner can have only one account per currency.
 */
export const backfillAccounts: JobHandler<'accounts.backfill'> = async (op, { fromCustomerId }) => {
  // Reads the current settings, because a change of currencies may be committed together with this job.
  const currencies = listAccountCurrencies(readPlatformConfig(op, await findPlatform(op)))
  const missing = await selectMissingAccounts(op, currencies, fromCustomerId, ACCOUNTS_PER_JOB_MAX)
  const last = missing.length === ACCOUNTS_PER_JOB_MAX ? missing.at(-1) : undefined
  return [
    ...(await openMissingPlatformAccounts(op, currencies)),
    ...missing.flatMap(({ customerId, currency }) => makeInternalAccount(op, customerId, currency)),
    ...(last ? [scheduleAccountsBackfill(op, last.customerId)] : []),
  ]
}
