import type { treasury } from '@countersign/contract/operation/treasury'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { castVote, readApprovalNeed } from '../../people/members/approval-votes.ts'
import { insert } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import { findOwnAccount } from '../own-money/own-accounts.ts'
import { treasuryKeyHandlers } from './key-handlers.ts'
import { moveMovement } from './movements.ts'
import {
  checkMovementEvent,
  findMovement,
  newMovement,
  sendMovement,
  toTreasuryMovementView,
} from './requests.ts'
import { selectMovements } from './store.ts'

export const treasuryHandlers: Handlers<typeof treasury> = {
  ...treasuryKeyHandlers,

  treasury_movement_create: async (op, { body }) => {
    const account = await findOwnAccount(op, body.ownAccountId)
    const draft = await newMovement(op, account, body)
    const approval = await readApprovalNeed(op, body.needsApproval)
    // Checked before the vote too, so that members never vote on a movement that cannot be made.
    const sent = await sendMovement(op, draft, account)
    if (approval.isNeeded)
      return {
        status: 201,
        body: toTreasuryMovementView(draft),
        writes: [insert('treasury_movements', draft)],
      }
    return {
      status: 201,
      body: toTreasuryMovementView(sent.row),
      writes: [...approval.writes, insert('treasury_movements', sent.row), ...sent.writes],
    }
  },

  treasury_movement_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectMovements(op, query),
      table: 'treasury_movements',
      view: (rows) => rows.map(toTreasuryMovementView),
    }),
  }),

  treasury_movement_get: async (op, { params }) => ({
    status: 200,
    body: toTreasuryMovementView(await findMovement(op, params.treasuryMovementId)),
  }),

  treasury_movement_approve: async (op, { params }) => {
    const row = await findMovement(op, params.treasuryMovementId)
    checkMovementEvent(row, 'send')
    const sent = await sendMovement(op, row, await findOwnAccount(op, requireColumn(row, 'own_account_id')))
    const vote = await castVote(op, row.id)
    if (!vote.decides) {
      const proposed = moveMovement(op, row, 'propose')
      return {
        status: 200,
        body: toTreasuryMovementView(proposed.row),
        writes: [...vote.writes, proposed.write],
      }
    }
    return {
      status: 200,
      body: toTreasuryMovementView(sent.row),
      writes: [...vote.writes, sent.change, ...sent.writes],
    }
  },

  treasury_movement_cancel: async (op, { params }) => {
    const row = await findMovement(op, params.treasuryMovementId)
    checkMovementEvent(row, 'cancel')
    const moved = moveMovement(op, row, 'cancel')
    return { status: 200, body: toTreasuryMovementView(moved.row), writes: [moved.write] }
  },
}
