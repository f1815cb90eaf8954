import type { AgentActionRow } from '../db/schema/agent-tables.ts'
import type { Op } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import type { TransactionWithCustomer } from '../transactions/transactions.ts'
import { selectAction, selectActionOfTransaction } from './store.ts'

/** The action of this platform with this id, if there is one. */
export async function findActionIfAny(op: Op, id: string): Promise<AgentActionRow | undefined> {
  return selectAction(op, id)
}

/** An action on this platform, of `agentId` where that is given. Error: 404 `AGENT_ACTION_NOT_FOUND`. */
export async function findAction(op: Op, id: string, agentId: string): Promise<AgentActionRow> {
  const action = await findActionIfAny(op, id)
  if (!action || action.agent_id !== agentId)
    throw new ApiError('AGENT_ACTION_NOT_FOUND', { details: { field: 'actionId' } })
  return action
}

/** The action that a transaction belongs to, if an agent proposed it. */
export async function findActionOf(
  op: Op,
  transaction: Pick<TransactionWithCustomer, 'id' | 'agent_id'>,
): Promise<AgentActionRow | undefined> {
  return transaction.agent_id === null ? undefined : selectActionOfTransaction(op, transaction.id)
}

/** The current payment of an action. */
