import type { Op } from '../../kernel/operation/app.ts'
import { toPeriods } from '../../kernel/operation/periods.ts'
import type { AgentRow } from '../../storage/rows/agent.ts'
import { readPolicy } from './agent-policies.ts'
import type { Usage } from './policy.ts'
import { selectBudgets } from './store.ts'

/**
 * Reads the usage of these agents on one day and in its month. Amounts are in the currency of each agent's
 * own limits.
 */
export async function findUsage(
  op: Op,
  agents: readonly AgentRow[],
  periods: { readonly day: string; readonly month: string },
): Promise<(agent: AgentRow) => Usage> {
  const { day, month } = periods
  const ids = agents.map(({ id }) => id)
  const budgets = ids.length === 0 ? [] : await selectBudgets(op, ids, day, month)
  return (agent) => {
    const { currency } = readPolicy(agent).spendingLimits
    const agentBudgets = budgets.filter(({ agent_id }) => agent_id === agent.id)
    const findSpent = (period: string) =>
      agentBudgets.find((budget) => budget.period === period && budget.currency === currency)?.spent ?? 0n
    const dayBudgets = agentBudgets.filter(({ period }) => period === day)
    const dailyCount = dayBudgets.reduce((sum, { count }) => sum + count, 0)
    return { dailyCount, dailySpend: findSpent(day), monthlySpend: findSpent(month) }
  }
}

/** Usage as the API shows it, with the day and month when it next resets. */
export function toUsageView(op: Op, usage: Usage) {
  const { now } = op
  const tomorrow = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1))
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
  return {
    dailyTransactionCount: usage.dailyCount,
    dailySpend: usage.dailySpend,
    dailyResetDate: toPeriods(tomorrow).day,
    monthlySpend: usage.monthlySpend,
    monthlyResetMonth: toPeriods(nextMonth).month,
  }
}
