import type { Op } from '../app.ts'
import type { Write } from '../db/writes.ts'
import { job } from '../jobs/jobs.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { fiatCurrencies, platformConfig } from '../platforms/platforms.ts'
import { makeInternalAccount } from './accounts.ts'
import { selectMissingFiatAccounts } from './store.ts'

const ACCOUNTS_PER_JOB_MAX = 100

/** The due work that gives every approved customer the accounts of the platform's currencies. */
export function accountsBackfill(op: Op, fromCustomerId = ''): Write {
  return job(op, 'accounts.backfill', { fromCustomerId }, op.now)
}

/**
 * Opens the accounts that approved customers lack, a hundred at a time; what is left is a job of its own. Doing it
 * again opens nothing twice: it looks for what is missing, and one account per customer and currency is all there can be.
 */
export const backfillAccounts: JobHandler = async (op, { fromCustomerId }) => {
  const from = typeof fromCustomerId === 'string' ? fromCustomerId : ''
  const currencies = fiatCurrencies(platformConfig(op))
  const missing = await selectMissingFiatAccounts(op, currencies, from, ACCOUNTS_PER_JOB_MAX)
  const last = missing.length === ACCOUNTS_PER_JOB_MAX ? missing.at(-1) : undefined
  return [
    ...missing.flatMap(({ customerId, currency }) => makeInternalAccount(op, customerId, currency)),
    ...(last ? [accountsBackfill(op, last.customerId)] : []),
  ]
}
