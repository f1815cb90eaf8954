import type { stablecoinAccounts } from '@countersign/contract/accounts/stablecoin-accounts'
import { STABLECOIN_ACCOUNT_TRANSITIONS } from '@countersign/contract/states/customer-states'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { page } from '../../kernel/operation/paging.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { insert } from '../../storage/commit/writes.ts'
import { checkJob } from './jobs.ts'
import {
  checkLinkable,
  chooseAccount,
  findStablecoinAccount,
  makeStablecoinAccount,
  sealCredentials,
  stablecoinAccountView,
  stablecoinProvider,
} from './stablecoin-accounts.ts'
import { selectLinked, selectStablecoinAccounts } from './store.ts'

export const stablecoinAccountHandlers: Handlers<typeof stablecoinAccounts> = {
  /** The check changes nothing at the provider, so it is safe to repeat. */
  stablecoin_account_link: async (op, { body }) => {
    const provider = stablecoinProvider(op, body.provider)
    const { apiClientId, apiClientSecret } = body
    const answer = await provider.check({ apiClientId, apiClientSecret, isLinked: false })
    const accountKey = {
      provider_account_id: chooseAccount(op, body, answer),
      provider_environment: provider.environment,
    }
    const before = await selectLinked(op, { provider: body.provider, ...accountKey })
    if (!before) {
      const row = makeStablecoinAccount(op, body, accountKey)
      const writes = [insert('stablecoin_accounts', row), checkJob(op, row)]
      return { status: 201, body: stablecoinAccountView(row), writes }
    }
    checkLinkable(before)
    const { row, write } = transition(
      op,
      'stablecoin_accounts',
      STABLECOIN_ACCOUNT_TRANSITIONS,
      before,
      'link',
      {
        sealed_credentials: sealCredentials(op, before.id, { apiClientId, apiClientSecret }),
        last_verified_at: op.now,
      },
    )
    // A revoked account has no scheduled check; every other account has one.
    const writes = [write, ...(before.status === 'REVOKED' ? [checkJob(op, row)] : [])]
    return { status: 201, body: stablecoinAccountView(row), writes }
  },

  stablecoin_account_list: async (op, { query }) => ({
    status: 200,
    body: await page(op, query, {
      rows: selectStablecoinAccounts(op, query),
      table: 'stablecoin_accounts',
      view: (rows) => rows.map(stablecoinAccountView),
    }),
  }),

  stablecoin_account_get: async (op, { params }) => ({
    status: 200,
    body: stablecoinAccountView(await findStablecoinAccount(op, params.stablecoinProviderAccountId)),
  }),
}
