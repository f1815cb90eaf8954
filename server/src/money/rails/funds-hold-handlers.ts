import type { fundsHolds } from '@countersign/contract/payments/funds-holds'
import { FUNDS_HOLD_TRANSITIONS } from '@countersign/contract/states/funds-hold-states'
import { buildBalanceEvent, findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { withNames } from '../../kernel/accounts/names.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { checkEvent } from '../../kernel/operation/transition.ts'
import { castVote } from '../../people/members/approval-votes.ts'
import { expectRow } from '../../storage/commit/writes.ts'
import { selectFundsHolds } from './funds-hold-store.ts'
import { endFundsHold, findFundsHold, toFundsHoldView } from './funds-holds.ts'

export const fundsHoldHandlers: Handlers<typeof fundsHolds> = {
  funds_hold_list: async (op, { query }) => ({
    status: 200,
    body: await withNames(
      op,
      query,
      await listPage(op, query, {
        rows: selectFundsHolds(op, query),
        table: 'funds_holds',
        view: (rows) => rows.map(toFundsHoldView),
      }),
      ({ accountId, customerId }) => [accountId, customerId],
    ),
  }),

  funds_hold_get: async (op, { params }) => ({
    status: 200,
    body: toFundsHoldView(await findFundsHold(op, params.fundsHoldId)),
  }),

  funds_hold_lift: (op, { params, body }) => liftHold(op, params.fundsHoldId, body.reason),
}

/**
 * Throws 404 `FUNDS_HOLD_NOT_FOUND`, 409 `INVALID_STATE_TRANSITION` if the hold is not active, 403
 * `FORBIDDEN` from `castVote`.
 */
async function liftHold(op: Op, id: string, reason: string) {
  const row = await findFundsHold(op, id)
  checkEvent(
    FUNDS_HOLD_TRANSITIONS,
    row.state,
    'lift',
    `This hold is ${row.state}. Only a hold that is HELD can be lifted.`,
  )
  const vote = await castVote(op, row.id)
  if (!vote.decides) {
    const activeGuard = expectRow('funds_holds', row.id, { state: row.state })
    return { status: 200, body: toFundsHoldView(row), writes: [...vote.writes, activeGuard] } as const
  }
  const ended = endFundsHold(op, row, 'lift', reason)
  const account = await findInternalAccount(op, row.account_id)
  const writes = [...vote.writes, ...ended.writes, buildBalanceEvent(op, account)]
  return { status: 200, body: toFundsHoldView(ended.row), writes } as const
}
