import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { AgentActionRow } from '../../storage/rows/agent.ts'
import { selectAction } from './store.ts'

/** Finds an action of this platform by id, if it exists. */
export async function findActionIfAny(op: Op, id: string): Promise<AgentActionRow | undefined> {
  return selectAction(op, id)
}

/** Finds an action of this agent. Throws 404 `AGENT_ACTION_NOT_FOUND`. */
export async function findAction(op: Op, id: string, agentId: string): Promise<AgentActionRow> {
  const action = await findActionIfAny(op, id)
  if (!action || action.agent_id !== agentId)
    throw new ApiError('AGENT_ACTION_NOT_FOUND', { details: { field: 'actionId' } })
  return action
}
