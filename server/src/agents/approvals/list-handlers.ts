import type { ApprovalKind, approvals } from '@countersign/contract/agents/approvals'
import { decode } from '@countersign/contract/core/decode'
import { DepositChoice } from '@countersign/contract/payments/deposits'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { getPlatformConfig } from '../../people/platforms/platform-config.ts'
import { selectVotes, selectWaiting, type WaitingRow } from './store.ts'
import { toWaitingView } from './waiting-approvals.ts'

/** Kinds of approval that may require votes from several team members. */
const VOTED: ReadonlySet<ApprovalKind> = new Set([
  'AGENT_ACTION',
  'INCOMING_PAYMENT',
  'SCREENING',
  'PAYOUT_BATCH',
  'PAYMENT_SCHEDULE',
  'OWN_ACCOUNT',
  'PLATFORM_WITHDRAWAL',
  'ACCOUNT_CHANGE',
  'TREASURY_MOVEMENT',
  'TREASURY_KEY',
  'FUNDS_HOLD',
  'DEPOSIT',
])

export const approvalHandlers: Handlers<typeof approvals> = {
  approval_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectWaiting(op, query),
      table: 'agent_actions',
      order: query.sortOrder ?? 'desc',
      view: (rows) => toWaitingViews(op, rows),
    }),
  }),
}

async function toWaitingViews(op: Op, rows: readonly WaitingRow[]) {
  const votes = await selectVotes(
    op,
    rows.map(({ id }) => id),
  )
  const { approvalsRequired } = getPlatformConfig(op)
  return Promise.all(
    rows.map((row) => {
      const rowVotes = votes.filter(({ record_id }) => record_id === row.id)
      const views = rowVotes.map(({ member_id, name, at, choice }) => ({
        memberId: member_id,
        memberName: name,
        at: at.toISOString(),
        ...(choice === null ? {} : { choice: decode(DepositChoice, choice) }),
      }))
      return toWaitingView(op, row, views, VOTED.has(row.kind) ? approvalsRequired : 1)
    }),
  )
}
