import type { treasury } from '@countersign/contract/operation/treasury'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { castVote, readApprovalNeed } from '../../people/members/approval-votes.ts'
import { insert } from '../../storage/commit/writes.ts'
import { activateKey, checkKeyEvent, findKey, newKey, toTreasuryKeyView, transitionKey } from './keys.ts'
import { selectKeys } from './store.ts'

type KeyHandlers = Pick<Handlers<typeof treasury>, Extract<keyof typeof treasury, `treasury_key_${string}`>>

export const treasuryKeyHandlers: KeyHandlers = {
  treasury_key_create: async (op, { body }) => {
    const draft = await newKey(op, body)
    const approval = await readApprovalNeed(op, body.needsApproval)
    const activated = await activateKey(op, draft)
    if (approval.isNeeded)
      return { status: 201, body: toTreasuryKeyView(op, draft), writes: [insert('treasury_keys', draft)] }
    return {
      status: 201,
      body: toTreasuryKeyView(op, activated.row),
      writes: [...approval.writes, ...activated.writes, insert('treasury_keys', activated.row)],
    }
  },

  treasury_key_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectKeys(op, query),
      table: 'treasury_keys',
      view: (rows) => rows.map((row) => toTreasuryKeyView(op, row)),
    }),
  }),

  treasury_key_get: async (op, { params }) => ({
    status: 200,
    body: toTreasuryKeyView(op, await findKey(op, params.treasuryKeyId)),
  }),

  treasury_key_approve: async (op, { params }) => {
    const row = await findKey(op, params.treasuryKeyId)
    checkKeyEvent(row, 'activate')
    const activated = await activateKey(op, row)
    const vote = await castVote(op, row.id)
    if (!vote.decides) {
      const proposed = transitionKey(op, row, 'propose')
      return {
        status: 200,
        body: toTreasuryKeyView(op, proposed.row),
        writes: [...vote.writes, proposed.write],
      }
    }
    return {
      status: 200,
      body: toTreasuryKeyView(op, activated.row),
      writes: [...vote.writes, ...activated.writes, activated.change],
    }
  },

  treasury_key_cancel: async (op, { params }) => {
    const row = await findKey(op, params.treasuryKeyId)
    checkKeyEvent(row, 'cancel')
    const moved = transitionKey(op, row, 'cancel')
    return { status: 200, body: toTreasuryKeyView(op, moved.row), writes: [moved.write] }
  },
}
