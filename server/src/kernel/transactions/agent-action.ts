import type { AgentActionRow } from '../../storage/rows/agent.ts'
import type { Op } from '../operation/app.ts'
import { selectActionOfTransaction, type TransactionWithCustomer } from './store.ts'

/** The agent's action that a transaction belongs to, if there is one. */
export async function findAgentAction(
  op: Op,
  transaction: Pick<TransactionWithCustomer, 'id' | 'agent_id'>,
): Promise<AgentActionRow | undefined> {
  return transaction.agent_id === null ? undefined : selectActionOfTransaction(op, transaction.id)
}
