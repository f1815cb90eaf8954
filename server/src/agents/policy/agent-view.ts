import type { Op } from '../../kernel/operation/app.ts'
import { periodsOf } from '../../kernel/operation/periods.ts'
import type { AgentRow } from '../../storage/rows/agent.ts'
import { policyOf } from './agent-policies.ts'
import type { Usage } from './policy.ts'
import { findUsage, usageView } from './usage.ts'

/** Agents as the API shows them, with their current usage. */
export async function agentViews(op: Op, agents: readonly AgentRow[]) {
  const getUsage = await findUsage(op, agents, periodsOf(op.now))
  return agents.map((agent) => buildView(op, agent, getUsage(agent)))
}

export async function agentView(op: Op, agent: AgentRow) {
  const getUsage = await findUsage(op, [agent], periodsOf(op.now))
  return buildView(op, agent, getUsage(agent))
}

function buildView(op: Op, agent: AgentRow, usage: Usage) {
  return {
    id: agent.id,
    name: agent.name,
    customerId: agent.customer_id,
    isPaused: agent.is_paused,
    isConnected: agent.token_hash !== null,
    policy: policyOf(agent),
    usage: usageView(op, usage),
    createdAt: agent.created_at.toISOString(),
    updatedAt: agent.updated_at.toISOString(),
  }
}
