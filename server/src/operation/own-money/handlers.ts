import type { ownMoney } from '@countersign/contract/operation/own-money'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { castVote, readApprovalNeed } from '../../people/members/approval-votes.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { OwnAccountRow } from '../../storage/rows/own-money.ts'
import { checkStillCold, followColdStorage } from './cold-storage.ts'
import {
  checkAccountEvent,
  findOwnAccount,
  newOwnAccount,
  scheduleFirstSweep,
  sweepJob,
  toOwnAccountView,
  updateOwnAccount,
} from './own-accounts.ts'
import { selectOwnAccounts, selectWithdrawals } from './store.ts'
import {
  checkWithdrawalEvent,
  findOwnMoney,
  findWithdrawal,
  moveWithdrawal,
  newWithdrawal,
  sendWithdrawal,
  toWithdrawalView,
  withdrawalEvent,
} from './withdrawals.ts'

export const ownMoneyHandlers: Handlers<typeof ownMoney> = {
  own_account_create: async (op, { body }) => {
    const draft = await newOwnAccount(op, body)
    const approval = await readApprovalNeed(op, body.needsApproval)
    const row = approval.isNeeded
      ? draft
      : updateOwnAccount(op, draft, 'approve', scheduleFirstSweep(op, draft)).row
    return {
      status: 201,
      body: await toOwnAccountView(op, row),
      writes: [
        ...approval.writes,
        insert('own_accounts', row),
        ...sweepJob(op, row),
        ...(await followColdStorage(op, row)),
      ],
    }
  },

  own_account_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectOwnAccounts(op, query),
      table: 'own_accounts',
      view: (rows) => Promise.all(rows.map((row) => toOwnAccountView(op, row))),
    }),
  }),

  own_account_get: async (op, { params }) => ({
    status: 200,
    body: await toOwnAccountView(op, await findOwnAccount(op, params.ownAccountId)),
  }),

  own_account_approve: async (op, { params }) => {
    const row = await findOwnAccount(op, params.ownAccountId)
    checkAccountEvent(row, 'approve')
    await checkStillCold(op, row)
    const vote = await castVote(op, row.id)
    const moved = vote.decides
      ? updateOwnAccount(op, row, 'approve', scheduleFirstSweep(op, row))
      : updateOwnAccount(op, row, 'propose')
    return respondAccount(op, moved.row, [
      ...vote.writes,
      moved.write,
      ...sweepJob(op, moved.row),
      ...(await followColdStorage(op, moved.row)),
    ])
  },

  own_account_remove: async (op, { params }) => {
    const row = await findOwnAccount(op, params.ownAccountId)
    checkAccountEvent(row, 'remove')
    const moved = updateOwnAccount(op, row, 'remove', { next_sweep_at: null })
    return respondAccount(op, moved.row, [moved.write])
  },

  platform_withdrawal_create: async (op, { body }) => {
    const own = await findOwnAccount(op, body.ownAccountId)
    const draft = newWithdrawal(op, own, {
      source: body.source,
      amount: body.amount,
      reason: body.reason,
      remittance_information: body.remittanceInformation ?? null,
      is_sweep: false,
    })
    const approval = await readApprovalNeed(op, body.needsApproval)
    // Checked before the vote too, so that members never vote on a payment that cannot be made.
    const payment = await sendWithdrawal(op, draft, own, await findOwnMoney(op, own.currency))
    if (approval.isNeeded)
      return {
        status: 201,
        body: await toWithdrawalView(op, draft),
        writes: [
          insert('platform_withdrawals', draft),
          await withdrawalEvent(op, 'AWAITING_APPROVAL', draft),
        ],
      }
    return {
      status: 201,
      body: await toWithdrawalView(op, payment.row, payment.transaction),
      writes: [...approval.writes, insert('platform_withdrawals', payment.row), ...payment.writes],
    }
  },

  platform_withdrawal_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectWithdrawals(op, query),
      table: 'platform_withdrawals',
      view: (rows) => Promise.all(rows.map((row) => toWithdrawalView(op, row))),
    }),
  }),

  platform_withdrawal_get: async (op, { params }) => ({
    status: 200,
    body: await toWithdrawalView(op, await findWithdrawal(op, params.platformWithdrawalId)),
  }),

  platform_withdrawal_approve: async (op, { params }) => {
    const row = await findWithdrawal(op, params.platformWithdrawalId)
    checkWithdrawalEvent(row, 'send')
    const own = await findOwnAccount(op, row.own_account_id)
    const payment = await sendWithdrawal(op, row, own, await findOwnMoney(op, row.currency))
    const vote = await castVote(op, row.id)
    if (!vote.decides) {
      const proposed = moveWithdrawal(op, row, 'propose')
      return {
        status: 200,
        body: await toWithdrawalView(op, proposed.row),
        writes: [...vote.writes, proposed.write],
      }
    }
    return {
      status: 200,
      body: await toWithdrawalView(op, payment.row, payment.transaction),
      writes: [...vote.writes, payment.change, ...payment.writes],
    }
  },

  platform_withdrawal_cancel: async (op, { params }) => {
    const row = await findWithdrawal(op, params.platformWithdrawalId)
    checkWithdrawalEvent(row, 'cancel')
    const moved = moveWithdrawal(op, row, 'cancel')
    const canceled = await withdrawalEvent(op, 'CANCELED', moved.row)
    return { status: 200, body: await toWithdrawalView(op, moved.row), writes: [moved.write, canceled] }
  },
}

async function respondAccount(op: Op, row: OwnAccountRow, writes: readonly Write[]) {
  return { status: 200, body: await toOwnAccountView(op, row), writes } as const
}
