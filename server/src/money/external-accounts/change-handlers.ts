import type { accountChanges } from '@countersign/contract/accounts/account-changes'
import { ACCOUNT_CHANGE_TRANSITIONS } from '@countersign/contract/states/account-change-states'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { castVote } from '../../people/members/approval-votes.ts'
import { buildId, deriveUuid } from '../../storage/engine/ids.ts'
import {
  accountChangeView,
  applyChange,
  checkCanDecide,
  dismissChange,
  findAccountChange,
} from './account-changes.ts'
import { selectAccountChanges } from './change-store.ts'

export const accountChangeHandlers: Handlers<typeof accountChanges> = {
  account_change_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectAccountChanges(op, query),
      table: 'account_changes',
      view: (rows) => rows.map(accountChangeView),
    }),
  }),

  account_change_get: async (op, { params }) => ({
    status: 200,
    body: accountChangeView(await findAccountChange(op, params.accountChangeId)),
  }),

  account_change_apply: (op, { params, body }) => decide(op, params.accountChangeId, 'apply', body.reason),

  account_change_dismiss: (op, { params, body }) =>
    decide(op, params.accountChangeId, 'dismiss', body.reason),
}

/**
 * The errors of `applyChange` are raised even before the first vote. Other errors: 404
 * `ACCOUNT_CHANGE_NOT_FOUND`, 409 `INVALID_STATE_TRANSITION` if the change was already decided, 403
 * `FORBIDDEN` from `castVote`.
 */
async function decide(op: Op, id: string, decision: 'apply' | 'dismiss', reason: string) {
  const row = await findAccountChange(op, id)
  checkCanDecide(row, decision)
  const decidedChange = await (decision === 'apply' ? applyChange : dismissChange)(op, row, reason)
  const vote = await castVote(op, toBallotId(row.id, decision))
  if (vote.decides)
    return {
      status: 200,
      body: accountChangeView(decidedChange.row),
      writes: [...vote.writes, ...decidedChange.writes],
    } as const
  const proposed = transition(op, 'account_changes', ACCOUNT_CHANGE_TRANSITIONS, row, 'propose')
  return {
    status: 200,
    body: accountChangeView(proposed.row),
    writes: [...vote.writes, proposed.write],
  } as const
}

/** The ballot of a vote. Votes to apply a change do not count for dismissing it. */
function toBallotId(id: string, decision: 'apply' | 'dismiss'): string {
  return decision === 'apply' ? id : buildId('AccountChange', deriveUuid(`AccountChange dismiss ${id}`))
}
