import type { Op } from '../../kernel/operation/app.ts'
import { parseOptionalTime } from '../../kernel/operation/time-range.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { AgentActionRow, AgentReservationRow } from '../../storage/rows/agent.ts'

const BY_ID = lookupById('agent_actions')

export async function selectAction(op: Op, id: string): Promise<AgentActionRow | undefined> {
  return op.find(BY_ID, id)
}

/** The actions of an agent that wait for approval, oldest first, at most `limit`. */
export async function selectWaitingActions(
  op: Op,
  agentId: string,
  limit: number,
): Promise<AgentActionRow[]> {
  return selectActions(op, { agentId, status: 'PENDING_APPROVAL' })
    .orderBy('created_at')
    .limit(limit)
    .execute()
}

export interface ActionFilters {
  readonly agentId?: string
  readonly customerId?: string
  readonly status?: AgentActionRow['state']
  readonly startDate?: string
  readonly endDate?: string
}

export function selectActions(op: Op, filters: ActionFilters) {
  const { agentId, customerId, status, startDate, endDate } = filters
  return op.read
    .selectFrom('agent_actions')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'agent_id', '=', agentId))
    .$call((q) => whereIfDefined(q, 'customer_id', '=', customerId))
    .$call((q) => whereIfDefined(q, 'state', '=', status))
    .$call((q) => whereIfDefined(q, 'created_at', '>=', parseOptionalTime(startDate)))
    .$call((q) => whereIfDefined(q, 'created_at', '<=', parseOptionalTime(endDate)))
}

const RESERVATION_BY_ID = lookupById('agent_reservations')

/** The reservation for a transaction. */
export async function selectReservation(
  op: Op,
  transactionId: string,
): Promise<AgentReservationRow | undefined> {
  return op.find(RESERVATION_BY_ID, transactionId)
}
