import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import type { AgentBudgetRow, AgentPolicyRow } from '../../storage/rows/agent.ts'

/** An agent's current and earlier policies, by version. */
export async function selectPolicies(
  op: Op,
  agentId: string,
  versions: readonly number[],
): Promise<Map<number, AgentPolicyRow['policy']>> {
  const rows = await op.read
    .selectFrom('agent_policies')
    .select(['version', 'policy'])
    .where('platform_id', '=', op.platform.id)
    .where('agent_id', '=', agentId)
    .where(sql<boolean>`version = ANY (${versions})`)
    .execute()
  return new Map(rows.map(({ version, policy }) => [version, policy]))
}

/** The amounts reserved by these agents, for a day and a month. */
export async function selectBudgets(
  op: Op,
  agentIds: readonly string[],
  day: string,
  month: string,
): Promise<AgentBudgetRow[]> {
  return op.read
    .selectFrom('agent_budgets')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where(sql<boolean>`agent_id = ANY (${agentIds.map(extractUuid)})`)
    .where('period', 'in', [day, month])
    .execute()
}
