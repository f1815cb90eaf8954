import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { expireAction, rejectWaiting } from './approve-action.ts'
import { findActionIfAny } from './find-action.ts'

/** Fails an action that was not decided before its deadline, and releases its reservation. */
export const expireAgentAction: JobHandler<'agent-action.expire'> = async (op, payload) => {
  const action = await findActionIfAny(op, payload.actionId)
  if (action?.state !== 'PENDING_APPROVAL') return []
  return (await expireAction(op, action)).writes
}

/** Rejects further waiting actions of a deleted agent. */
export const rejectWaitingActions: JobHandler<'agent.reject-waiting'> = async (op, payload) =>
  rejectWaiting(op, payload.agentId)
