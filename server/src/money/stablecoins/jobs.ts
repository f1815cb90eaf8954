import {
  STABLECOIN_ACCOUNT_TRANSITIONS,
  type StablecoinAccountEvent,
} from '@countersign/contract/states/customer-states'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { CredentialCheckResult } from '../../kernel/ports/stablecoin-provider.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { StablecoinAccountRow } from '../../storage/rows/look-up.ts'
import { openCredentials } from './stablecoin-accounts.ts'
import { selectStablecoinAccount } from './store.ts'

const DAY_SECONDS = 24 * 60 * 60

/** Schedules the next check of an account's credentials, a day from now. */
export function scheduleCheck(op: Op, { id }: Pick<StablecoinAccountRow, 'id'>): Write {
  return job(op, 'stablecoin-account.check', { accountId: id }, addSeconds(op.now, DAY_SECONDS))
}

/**
 * Checks whether the credentials of an account still work. The account does not change if the provider does
 * not respond or is no longer configured. A revoked account is not checked again.
 */
export const checkStablecoinAccount: JobHandler<'stablecoin-account.check'> = async (op, { accountId }) => {
  const account = await selectStablecoinAccount(op, accountId)
  if (!account || nextState(STABLECOIN_ACCOUNT_TRANSITIONS, account.status, 'revoke') === null) return []
  const provider = op.stablecoinProviders?.[account.provider]
  const nextCheck = scheduleCheck(op, account)
  if (!provider || provider.environment !== account.provider_environment) return [nextCheck]
  const checkResult = await provider.check({ ...openCredentials(op, account), isLinked: true })
  const event = toEvent(account, checkResult)
  if (event === undefined) {
    op.log.warn({ accountId, provider: account.provider }, 'stablecoin provider did not respond')
    return [nextCheck]
  }
  const change = event === 'accept' ? { last_verified_at: op.now } : {}
  const { write } = transition(
    op,
    'stablecoin_accounts',
    STABLECOIN_ACCOUNT_TRANSITIONS,
    account,
    event,
    change,
  )
  return event === 'revoke' ? [write] : [write, nextCheck]
}

/**
 * Converts the provider's response to the event for an account; undefined if it does not determine the state.
 */
function toEvent(
  { provider_account_id }: StablecoinAccountRow,
  checkResult: CredentialCheckResult,
): StablecoinAccountEvent | undefined {
  switch (checkResult.outcome) {
    case 'accepted':
      return checkResult.providerAccountIds.includes(provider_account_id) ? 'accept' : 'revoke'
    case 'invalid':
      return 'refuse'
    case 'revoked':
      return 'revoke'
    case 'unavailable':
      return undefined
  }
}
