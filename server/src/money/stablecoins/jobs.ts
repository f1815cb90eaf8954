import {
  STABLECOIN_ACCOUNT_TRANSITIONS,
  type StablecoinAccountEvent,
} from '@countersign/contract/states/customer-states'
import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { CredentialAnswer } from '../../kernel/ports/stablecoin-provider.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { StablecoinAccountRow } from '../../storage/rows/look-up.ts'
import { openCredentials } from './stablecoin-accounts.ts'
import { selectStablecoinAccount } from './store.ts'

const DAY_SECONDS = 24 * 60 * 60

/** The next day's check of an account's credentials. */
export function checkJob(op: Op, { id }: Pick<StablecoinAccountRow, 'id'>): Write {
  return job(op, 'stablecoin-account.check', { accountId: id }, plusSeconds(op.now, DAY_SECONDS))
}

/**
 * Checks whether the credentials of an account still work. If the provider does not answer, or the server is no longer
 * connected to it, the account does not change. A revoked one is not checked again.
 */
export const checkStablecoinAccount: JobHandler<'stablecoin-account.check'> = async (op, { accountId }) => {
  const account = await selectStablecoinAccount(op, accountId)
  if (!account || nextState(STABLECOIN_ACCOUNT_TRANSITIONS, account.status, 'revoke') === null) return []
  const provider = op.stablecoinProviders?.[account.provider]
  const again = checkJob(op, account)
  if (!provider || provider.environment !== account.provider_environment) return [again]
  const answer = await provider.check({ ...openCredentials(op, account), isLinked: true })
  const event = eventOf(account, answer)
  if (event === undefined) {
    op.log.warn({ accountId, provider: account.provider }, 'a stablecoin provider did not answer')
    return [again]
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
  return event === 'revoke' ? [write] : [write, again]
}

/** A response's meaning for an account; undefined if the state cannot be determined. */
function eventOf(
  { provider_account_id }: StablecoinAccountRow,
  answer: CredentialAnswer,
): StablecoinAccountEvent | undefined {
  switch (answer.outcome) {
    case 'accepted':
      return answer.providerAccountIds.includes(provider_account_id) ? 'accept' : 'revoke'
    case 'invalid':
      return 'refuse'
    case 'revoked':
      return 'revoke'
    case 'unavailable':
      return undefined
  }
}
