import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { findExternalAccount } from '../../money/external-accounts/external-accounts.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { AgentRow } from '../../storage/rows/agent.ts'
import type { ExternalAccountRow, InternalAccountRow } from '../../storage/rows/tables.ts'
import { selectAgent } from './store.ts'

/** Finds an agent of this platform. Throws 404 `AGENT_NOT_FOUND`. */
export async function findAgent(op: Op, id: string): Promise<AgentRow> {
  const agent = await findAgentOnRecord(op, id)
  if (agent.deleted_at) throw new ApiError('AGENT_NOT_FOUND', { details: { field: 'agentId' } })
  return agent
}

/** Finds an agent even if it is deleted, because its actions stay on record. Throws 404 `AGENT_NOT_FOUND`. */
export async function findAgentOnRecord(op: Op, id: string): Promise<AgentRow> {
  const agent = await selectAgent(op, id)
  if (!agent) throw new ApiError('AGENT_NOT_FOUND', { details: { field: 'agentId' } })
  return agent
}

/** The agent that makes this call, as currently stored. */
export async function findActingAgent(op: Op): Promise<AgentRow> {
  if (op.actor.kind !== 'agent') throw new Error('The caller is not an agent')
  const agent = await selectAgent(op, op.actor.agentId)
  if (!agent || agent.deleted_at) throw new ApiError('UNAUTHORIZED', { reason: 'The agent was deleted' })
  return agent
}

/** Finds an internal or external account of the customer. Throws 404 `ACCOUNT_NOT_FOUND`, naming `field`. */
export async function findCustomerAccount(
  op: Op,
  customerId: string,
  id: string,
  field: string,
): Promise<InternalAccountRow | ExternalAccountRow> {
  const find = id.startsWith('InternalAccount:') ? findInternalAccount : findExternalAccount
  const account = await find(op, id, field)
  if (account.customer_id !== customerId) throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field } })
  return account
}

/** Changes an agent's policy or state. Guard: the agent is unchanged. */
export function changeAgent(
  op: Op,
  agent: AgentRow,
  change: Partial<AgentRow>,
): { readonly row: AgentRow; readonly write: Write } {
  const set = { ...change, version: agent.version + 1, updated_at: op.now }
  return {
    row: { ...agent, ...set },
    write: update('agents', agent.id, { version: agent.version, deleted_at: null }, set),
  }
}
