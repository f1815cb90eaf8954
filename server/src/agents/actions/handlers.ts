import type { agentApprovals } from '@countersign/contract/agents/agents'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { page } from '../../kernel/operation/paging.ts'
import { executionCall } from '../../money/quotes/quotes.ts'
import { changeAgent, findAgent } from '../identity/agents.ts'
import { actionView, actionViews } from './actions.ts'
import {
  approveAction,
  type DecidedAction,
  rejectAction,
  rejectWaiting,
  signatureFor,
} from './approve-action.ts'
import { findAction } from './find-action.ts'
import { selectActions } from './store.ts'

export const agentApprovalHandlers: Handlers<typeof agentApprovals> = {
  /**
   * Also rejects the actions that wait for approval. No new actions can appear, because they require an
   * existing agent.
   */
  agent_delete: async (op, { params }) => {
    const agent = await findAgent(op, params.agentId)
    const deletion = { deleted_at: op.now, token_hash: null, device_code_id: null }
    return {
      status: 204,
      body: undefined,
      writes: [changeAgent(op, agent, deletion).write, ...(await rejectWaiting(op, agent.id))],
    }
  },

  agent_approval_list: async (op, { query }) => ({
    status: 200,
    body: await page(op, query, {
      rows: selectActions(op, { ...query, status: 'PENDING_APPROVAL' }),
      table: 'agent_actions',
      order: query.sortOrder ?? 'desc',
      view: (rows) => actionViews(op, rows),
    }),
  }),

  agent_action_approve: {
    async findSignedCall(op, { params }) {
      const { quote_id } = await findAgentAction(op, params)
      return quote_id === null ? undefined : executionCall(quote_id)
    },

    async toSign(op, { params }) {
      return signatureFor(op, await findAgentAction(op, params))
    },

    async handle(op, { params, approval }) {
      return toResponse(
        op,
        await approveAction(op, await findAgentAction(op, params), approval !== undefined),
      )
    },
  },

  agent_action_reject: async (op, { params, body }) =>
    toResponse(op, await rejectAction(op, await findAgentAction(op, params), body?.reason)),
}

async function findAgentAction(op: Op, { agentId, actionId }: { agentId: string; actionId: string }) {
  return findAction(op, actionId, (await findAgent(op, agentId)).id)
}

async function toResponse(op: Op, decided: DecidedAction | undefined) {
  if (!decided) throw new ApiError('ACTION_ALREADY_DECIDED', { details: { field: 'actionId' } })
  return { status: 200, body: await actionView(op, decided.action, decided), writes: decided.writes } as const
}
