import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import type { TimeRange } from '../../kernel/operation/time-range.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { AgentDecisionRow } from '../../storage/rows/agent.ts'

export interface AgentFilters extends TimeRange {
  readonly customerId?: string
  readonly isPaused?: boolean
  readonly isConnected?: boolean
}

/** A page of the matching agents. */
export function selectAgents(op: Op, filters: AgentFilters) {
  const { customerId, isPaused, isConnected, createdAfter, createdBefore, updatedAfter, updatedBefore } =
    filters
  return op.read
    .selectFrom('agents')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('deleted_at', 'is', null)
    .$call((q) => whereIfDefined(q, 'customer_id', '=', customerId))
    .$call((q) => whereIfDefined(q, 'is_paused', '=', isPaused))
    .$if(isConnected !== undefined, (q) => q.where('token_hash', isConnected ? 'is not' : 'is', null))
    .$call((q) => whereIfDefined(q, 'created_at', '>', createdAfter))
    .$call((q) => whereIfDefined(q, 'created_at', '<', createdBefore))
    .$call((q) => whereIfDefined(q, 'updated_at', '>', updatedAfter))
    .$call((q) => whereIfDefined(q, 'updated_at', '<', updatedBefore))
}

/** A page of the decisions about an agent. */
export function selectDecisions(op: Op, agentId: string) {
  return op.read
    .selectFrom('agent_decisions')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('agent_id', '=', agentId)
}

/** An agent's decisions about actions that move money, oldest first. */
export async function selectSpendingDecisions(
  op: Op,
  agentId: string,
  start: Date,
  end: Date,
  limit: number,
): Promise<AgentDecisionRow[]> {
  return selectDecisions(op, agentId)
    .where('created_at', '>=', start)
    .where('created_at', '<=', end)
    .where(sql<boolean>`inputs->'request'->'spends' IS NOT NULL`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}
