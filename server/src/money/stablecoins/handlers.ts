import type { stablecoinAccounts } from '@countersign/contract/accounts/stablecoin-accounts'
import { STABLECOIN_ACCOUNT_TRANSITIONS } from '@countersign/contract/states/customer-states'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { insert } from '../../storage/commit/writes.ts'
import { scheduleCheck } from './jobs.ts'
import {
  checkLinkable,
  chooseAccount,
  findStablecoinAccount,
  makeStablecoinAccount,
  requireProvider,
  sealCredentials,
  toStablecoinAccountView,
} from './stablecoin-accounts.ts'
import { selectLinked, selectStablecoinAccounts } from './store.ts'

export const stablecoinAccountHandlers: Handlers<typeof stablecoinAccounts> = {
  /** The check changes nothing at the provider, so it is safe to repeat. */
  stablecoin_account_link: async (op, { body }) => {
    const provider = requireProvider(op, body.provider)
    const { apiClientId, apiClientSecret } = body
    const checkResult = await provider.check({ apiClientId, apiClientSecret, isLinked: false })
    const accountKey = {
      provider_account_id: chooseAccount(op, body, checkResult),
      provider_environment: provider.environment,
    }
    const linkedAccount = await selectLinked(op, { provider: body.provider, ...accountKey })
    if (!linkedAccount) {
      const row = makeStablecoinAccount(op, body, accountKey)
      const writes = [insert('stablecoin_accounts', row), scheduleCheck(op, row)]
      return { status: 201, body: toStablecoinAccountView(row), writes }
    }
    checkLinkable(linkedAccount)
    const { row, write } = transition(
      op,
      'stablecoin_accounts',
      STABLECOIN_ACCOUNT_TRANSITIONS,
      linkedAccount,
      'link',
      {
        sealed_credentials: sealCredentials(op, linkedAccount.id, { apiClientId, apiClientSecret }),
        last_verified_at: op.now,
      },
    )
    // A revoked account has no scheduled check; every other account has one.
    const writes = [write, ...(linkedAccount.status === 'REVOKED' ? [scheduleCheck(op, row)] : [])]
    return { status: 201, body: toStablecoinAccountView(row), writes }
  },

  stablecoin_account_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectStablecoinAccounts(op, query),
      table: 'stablecoin_accounts',
      view: (rows) => rows.map(toStablecoinAccountView),
    }),
  }),

  stablecoin_account_get: async (op, { params }) => ({
    status: 200,
    body: toStablecoinAccountView(await findStablecoinAccount(op, params.stablecoinProviderAccountId)),
  }),
}
