import { AgentPolicy } from '@countersign/contract/agents/agent-policy'
import { decode } from '@countersign/contract/core/decode'
import { findInternalAccount } from '../accounts/accounts.ts'
import { insert, update, type Write } from '../db/commit/writes.ts'
import type { AgentRow } from '../db/schema/agent-tables.ts'
import type { ExternalAccountRow, InternalAccountRow } from '../db/schema/tables.ts'
import { findExternalAccount } from '../external-accounts/external-accounts.ts'
import type { Op } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import type { Policy, Usage } from './policy.ts'
import { selectAgent, selectBudgets, selectPolicies } from './store.ts'

/** An agent of this platform. Error: 404 `AGENT_NOT_FOUND`. */
export async function findAgent(op: Op, id: string): Promise<AgentRow> {
  const agent = await findAgentOnRecord(op, id)
  if (agent.deleted_at) throw new ApiError('AGENT_NOT_FOUND', { details: { field: 'agentId' } })
  return agent
}

/** The same, deleted or not: what it did stays on record. */
export async function findAgentOnRecord(op: Op, id: string): Promise<AgentRow> {
  const agent = await selectAgent(op, id)
  if (!agent) throw new ApiError('AGENT_NOT_FOUND', { details: { field: 'agentId' } })
  return agent
}

/** The agent that makes this call, in its current state. */
export async function actingAgent(op: Op): Promise<AgentRow> {
  if (op.actor.kind !== 'agent') throw new Error('No agent is acting')
  const agent = await selectAgent(op, op.actor.agentId)
  if (!agent || agent.deleted_at) throw new ApiError('UNAUTHORIZED', { reason: 'The agent was deleted' })
  return agent
}

/** An internal or external account of the customer. Error: 404 `ACCOUNT_NOT_FOUND`, naming `field`. */
export async function findAccountOf(
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

/** The policy of an agent, its amounts as `bigint`. */
export function policyOf(agent: AgentRow): Policy {
  return decode(AgentPolicy, agent.policy) as Policy
}

/** Changes the policy or the state of an agent. Guard: the agent is unchanged. */
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

/** Policies that an agent has or had, as they are stored, by their versions. */
export async function findPolicies(op: Op, agentId: string, versions: readonly number[]) {
  return selectPolicies(op, agentId, versions)
}

/** Stores a policy under its version: once, however many decisions refer to it. */
export function recordPolicy(op: Op, { id, policy, policy_version }: AgentRow): Write {
  return insert('agent_policies', {
    platform_id: op.platform.id,
    agent_id: id,
    version: policy_version,
    policy,
    created_at: op.now,
  })
}

/** The day and the month of a time, in UTC: `2025-10-13` and `2025-10`. */
export function periodsOf(at: Date): { readonly day: string; readonly month: string } {
  const day = at.toISOString().slice(0, at.toISOString().indexOf('T'))
  return { day, month: day.slice(0, -'-00'.length) }
}

/** The usage of agents on the day and in the month of `at`, in the currency of each agent's limits. */
export async function findUsage(
  op: Op,
  agents: readonly AgentRow[],
  periods: { readonly day: string; readonly month: string },
): Promise<Map<string, Usage>> {
  const { day, month } = periods
  const ids = agents.map(({ id }) => id)
  const budgets = ids.length === 0 ? [] : await selectBudgets(op, ids, day, month)
  return new Map(
    agents.map((agent) => {
      const { currency } = policyOf(agent).spendingLimits
      const own = budgets.filter(({ agent_id }) => agent_id === agent.id)
      const spentIn = (period: string) =>
        own.find((budget) => budget.period === period && budget.currency === currency)?.spent ?? 0n
      const ofDay = own.filter(({ period }) => period === day)
      const dailyCount = ofDay.reduce((sum, { count }) => sum + count, 0)
      return [agent.id, { dailyCount, dailySpend: spentIn(day), monthlySpend: spentIn(month) }]
    }),
  )
}

/** Usage as the API shows it, with the day and the month of the next reset. */
export function usageView(op: Op, usage: Usage) {
  const { now } = op
  const tomorrow = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1))
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
  return {
    dailyTransactionCount: usage.dailyCount,
    dailySpend: usage.dailySpend,
    dailyResetDate: periodsOf(tomorrow).day,
    monthlySpend: usage.monthlySpend,
    monthlyResetMonth: periodsOf(nextMonth).month,
  }
}

/** Agents as the API shows them, with their current usage. */
export async function agentViews(op: Op, agents: readonly AgentRow[]) {
  const usage = await findUsage(op, agents, periodsOf(op.now))
  return agents.map((agent) => ({
    id: agent.id,
    name: agent.name,
    customerId: agent.customer_id,
    isPaused: agent.is_paused,
    isConnected: agent.token_hash !== null,
    policy: policyOf(agent),
    usage: usageView(op, usage.get(agent.id)!),
    createdAt: agent.created_at.toISOString(),
    updatedAt: agent.updated_at.toISOString(),
  }))
}

export async function agentView(op: Op, agent: AgentRow) {
  const [view] = await agentViews(op, [agent])
  return view!
}
