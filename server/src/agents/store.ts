import { sql } from 'kysely'
import { uuidOf } from '../db/engine/ids.ts'
import { BARE_PLATFORM } from '../db/read/bare-platform.ts'
import { type Lookup, rowById, rowByKey } from '../db/read/lookup.ts'
import { whereGiven } from '../db/read/where-given.ts'
import type {
  AgentActionRow,
  AgentBudgetRow,
  AgentDecisionRow,
  AgentDeviceCodeRow,
  AgentPolicyRow,
  AgentRow,
} from '../db/schema/agent-tables.ts'
import type { BarePlatformRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'
import type { TimeRange } from '../op/time-range.ts'

const BY_ID = rowById('agents')

/** An agent, deleted or not. */
export async function selectAgent(op: Op, id: string): Promise<AgentRow | undefined> {
  return op.find(BY_ID, id)
}

type Acting = BarePlatformRow & {
  agent_id: string
  agent_name: string
  agent_customer_id: string
  agent_is_paused: boolean
  token_hash: string
}

const ACTING_BY_TOKEN = rowByKey<Acting>(
  `SELECT ${BARE_PLATFORM}, a.id AS agent_id, a.name AS agent_name, a.customer_id AS agent_customer_id,
     a.is_paused AS agent_is_paused, a.token_hash
   FROM agents a JOIN platforms p ON p.id = a.platform_id JOIN customers c ON c.id = a.customer_id
   WHERE a.token_hash = ANY ($1::text[]) AND a.deleted_at IS NULL AND c.deleted_at IS NULL AND p.closed_at IS NULL`,
  'token_hash',
)

/** The agent of a token and its platform, in one statement: every request of an agent begins with it. */
export async function selectActingAgent(
  lookup: Lookup,
  tokenHash: string,
): Promise<
  | {
      readonly agentId: string
      readonly agentName: string
      readonly customerId: string
      readonly isPaused: boolean
      readonly platform: BarePlatformRow
    }
  | undefined
> {
  const row = await lookup(ACTING_BY_TOKEN, tokenHash)
  if (!row) return undefined
  const { agent_id, agent_name, agent_customer_id, agent_is_paused, token_hash: _, ...platform } = row
  return {
    agentId: agent_id,
    agentName: agent_name,
    customerId: agent_customer_id,
    isPaused: agent_is_paused,
    platform,
  }
}

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
    .$call((q) => whereGiven(q, 'customer_id', '=', customerId))
    .$call((q) => whereGiven(q, 'is_paused', '=', isPaused))
    .$if(isConnected !== undefined, (q) => q.where('token_hash', isConnected ? 'is not' : 'is', null))
    .$call((q) => whereGiven(q, 'created_at', '>', createdAfter))
    .$call((q) => whereGiven(q, 'created_at', '<', createdBefore))
    .$call((q) => whereGiven(q, 'updated_at', '>', updatedAfter))
    .$call((q) => whereGiven(q, 'updated_at', '<', updatedBefore))
}

const CODE_BY_MAC = rowByKey<AgentDeviceCodeRow>(
  'SELECT * FROM agent_device_codes WHERE code_mac = ANY ($1::text[])',
  'code_mac',
)

export async function selectDeviceCode(op: Op, codeMac: string): Promise<AgentDeviceCodeRow | undefined> {
  return op.find(CODE_BY_MAC, codeMac)
}

const PLATFORM_BY_CODE = rowByKey<BarePlatformRow & { code_mac: string }>(
  `SELECT ${BARE_PLATFORM}, c.code_mac FROM agent_device_codes c JOIN platforms p ON p.id = c.platform_id
   WHERE c.code_mac = ANY ($1::text[]) AND p.closed_at IS NULL`,
  'code_mac',
)

/** The platform that created a device code. */
export async function selectPlatformOfCode(
  lookup: Lookup,
  codeMac: string,
): Promise<BarePlatformRow | undefined> {
  const row = await lookup(PLATFORM_BY_CODE, codeMac)
  if (!row) return undefined
  const { code_mac: _, ...platform } = row
  return platform
}

const ACTION_BY_ID = rowById('agent_actions')
const ACTION_BY_TRANSACTION = rowByKey<AgentActionRow>(
  'SELECT * FROM agent_actions WHERE transaction_id = ANY ($1::uuid[])',
  'transaction_id',
)

export async function selectAction(op: Op, id: string): Promise<AgentActionRow | undefined> {
  return op.find(ACTION_BY_ID, id)
}

export async function selectActionOfTransaction(
  op: Op,
  transactionId: string,
): Promise<AgentActionRow | undefined> {
  return op.find(ACTION_BY_TRANSACTION, transactionId)
}

/** A page of the decisions about an agent. */
export function selectDecisions(op: Op, agentId: string) {
  return op.read
    .selectFrom('agent_decisions')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('agent_id', '=', agentId)
}

/** What the policy of an agent decided about actions with money, oldest first. */
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

/** Policies of an agent, current and former, by version. */
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

/** The reserved amounts of one or several agents, for a day and a month. */
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
    .where(sql<boolean>`agent_id = ANY (${agentIds.map(uuidOf)})`)
    .where('period', 'in', [day, month])
    .execute()
}
