import type { Op } from '../../kernel/operation/app.ts'
import { toPeriods } from '../../kernel/operation/periods.ts'
import type { AgentRow } from '../../storage/rows/agent.ts'
import { readPolicy } from './agent-policies.ts'
import type { Usage } from './policy.ts'
import { findUsage, toUsageView } from './usage.ts'

/** Converts agents to their API form, with their current usage. */
export async function toAgentViews(op: Op, agents: readonly AgentRow[]) {
  const getUsage = await findUsage(op, agents, toPeriods(op.now))
  return agents.map((agent) => toView(op, agent, getUsage(agent)))
}

export async function toAgentView(op: Op, agent: AgentRow) {
  const getUsage = await findUsage(op, [agent], toPeriods(op.now))
  return toView(op, agent, getUsage(agent))
}

function toView(op: Op, agent: AgentRow, usage: Usage) {
  return {
    id: agent.id,
    name: agent.name,
    customerId: agent.customer_id,
    isPaused: agent.is_paused,
    isConnected: agent.token_hash !== null,
    policy: readPolicy(agent),
    usage: toUsageView(op, usage),
    createdAt: agent.created_at.toISOString(),
    updatedAt: agent.updated_at.toISOString(),
  }
}
