import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { runRailSpan } from '../../kernel/operation/spans.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { AccountCheckResult, Rail } from '../../kernel/ports/rail.ts'
import { update } from '../../storage/commit/writes.ts'
import type { BeneficiaryStatus } from '../../storage/rows/stored-documents.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import { selectExternalAccount } from './store.ts'

const BENEFICIARY_STATUSES: Readonly<Record<AccountCheckResult, BeneficiaryStatus>> = {
  MATCH: 'MATCHED',
  CLOSE_MATCH: 'PARTIAL_MATCH',
  NO_MATCH: 'NOT_MATCHED',
  UNAVAILABLE: 'UNSUPPORTED',
}

/** The maximum time for polling a rail that does not respond about a name. */
const POLLING_SECONDS_MAX = 24 * 3600
const RETRY_SECONDS = 60

/** The rail's result for the holder's name; undefined if the rail did not respond. */
async function checkHolderName(op: Op, rail: Rail | undefined, { id, account_info }: ExternalAccountRow) {
  if (!rail?.checkAccount) return 'UNAVAILABLE'
  const check = rail.checkAccount.bind(rail)
  try {
    return await runRailSpan(op, rail, 'check account', () => check(account_info))
  } catch (error) {
    op.log.warn({ err: error, account: id, rail: rail.name }, 'failed to check the name of an account holder')
    return undefined
  }
}

/**
 * Asks the rail that would pay an account whether its holder has the stated name. Payments to the account do
 * not depend on the result.
 */
export const checkExternalAccount: JobHandler<'external-account.check'> = async (op, payload) => {
  const account = await selectExternalAccount(op, payload.externalAccountId)
  const status = account?.beneficiary_verification_status
  if (!account || status !== 'PENDING') return []
  const rail = await op.rails.route(op.platform.id, {
    direction: 'OUT',
    accountType: account.account_type,
    paymentRail: null,
    currency: account.currency,
    amount: undefined,
  })
  const result = await checkHolderName(op, rail, account)
  const isTooLate = op.now > addSeconds(account.created_at, POLLING_SECONDS_MAX)
  if (result === undefined && !isTooLate)
    return [job(op, 'external-account.check', payload, addSeconds(op.now, RETRY_SECONDS))]
  const change = {
    beneficiary_verification_status: BENEFICIARY_STATUSES[result ?? 'UNAVAILABLE'],
    updated_at: op.now,
  }
  return [update('external_accounts', account.id, { beneficiary_verification_status: status }, change)]
}
