import type { agentApprovals } from '@countersign/contract/agents/agents'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { buildExecutionCall } from '../../money/quotes/quotes.ts'
import { changeAgent, findAgent } from '../identity/agents.ts'
import { toActionView, toActionViews } from './actions.ts'
import {
  approveAction,
  type DecidedAction,
  findRequiredSignature,
  rejectAction,
  rejectWaiting,
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
    body: await listPage(op, query, {
      rows: selectActions(op, { ...query, status: 'PENDING_APPROVAL' }),
      table: 'agent_actions',
      order: query.sortOrder ?? 'desc',
      view: (rows) => toActionViews(op, rows),
    }),
  }),

  agent_action_approve: {
    async findSignedCall(op, { params }) {
      const { quote_id } = await findAgentAction(op, params)
      return quote_id === null ? undefined : buildExecutionCall(quote_id)
    },

    async toSign(op, { params }) {
      return findRequiredSignature(op, await findAgentAction(op, params))
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
  return {
    status: 200,
    body: await toActionView(op, decided.action, decided),
    writes: decided.writes,
  } as const
}
