import { update } from '../db/commit/writes.ts'
import type { BeneficiaryStatus } from '../db/schema/documents.ts'
import { job } from '../jobs/jobs.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { plusSeconds } from '../op/app.ts'
import { askingRail } from '../op/spans.ts'
import type { AccountCheckResult } from '../ports/rail.ts'
import { selectExternalAccount } from './store.ts'

const STATUS_OF: Readonly<Record<AccountCheckResult, BeneficiaryStatus>> = {
  MATCH: 'MATCHED',
  CLOSE_MATCH: 'PARTIAL_MATCH',
  NO_MATCH: 'NOT_MATCHED',
  UNAVAILABLE: 'UNSUPPORTED',
}

/** How long a rail that does not answer is asked about a name. */
const ASKED_SECONDS_MAX = 24 * 3600
const AGAIN_SECONDS = 60

/** Asks the rail that would pay an account whether its holder has the given name. It changes nothing about paying it. */
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
  const result = rail?.checkAccount
    ? await askingRail(op, rail, 'check account', () => rail.checkAccount!(account.account_info)).catch(
        (error: unknown) => {
          op.log.warn({ err: error, account: account.id, rail: rail.name }, 'a name was not checked')
          return undefined
        },
      )
    : 'UNAVAILABLE'
  const isTooLate = op.now > plusSeconds(account.created_at, ASKED_SECONDS_MAX)
  if (result === undefined && !isTooLate)
    return [job(op, 'external-account.check', payload, plusSeconds(op.now, AGAIN_SECONDS))]
  const change = {
    beneficiary_verification_status: STATUS_OF[result ?? 'UNAVAILABLE'],
    updated_at: op.now,
  }
  return [update('external_accounts', account.id, { beneficiary_verification_status: status }, change)]
}
