import { findActionIfAny } from '../agents/actions.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { expireAction, rejectWaiting } from './approvals.ts'

/** An action that nobody decided on in time fails, and gives back what it had reserved. */
export const expireAgentAction: JobHandler<'agent-action.expire'> = async (op, payload) => {
  const action = await findActionIfAny(op, payload.actionId)
  if (action?.state !== 'PENDING_APPROVAL') return []
  return (await expireAction(op, action)).writes
}

/** What else an agent that was deleted let wait. */
export const rejectWaitingActions: JobHandler<'agent.reject-waiting'> = async (op, payload) =>
  rejectWaiting(op, payload.agentId)
