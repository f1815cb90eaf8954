import { AgentPolicy } from '@countersign/contract/agents/agent-policy'
import { decode } from '@countersign/contract/core/decode'
import type { Op } from '../../kernel/operation/app.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { AgentRow } from '../../storage/rows/agent.ts'
import type { Policy } from './policy.ts'
import { selectPolicies } from './store.ts'

/** Decodes the policy of an agent, with amounts as `bigint`. */
export function readPolicy(agent: AgentRow): Policy {
  return decode(AgentPolicy, agent.policy)
}

/** An agent's current and earlier policies as stored, by version. */
export async function findPolicies(op: Op, agentId: string, versions: readonly number[]) {
  return selectPolicies(op, agentId, versions)
}

/** Stores a policy under its version. Each version is stored once, because many decisions refer to it. */
export function recordPolicy(op: Op, { id, policy, policy_version }: AgentRow): Write {
  return insert('agent_policies', {
    platform_id: op.platform.id,
    agent_id: id,
    version: policy_version,
    policy,
    created_at: op.now,
  })
}
