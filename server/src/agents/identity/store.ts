import type { Op } from '../../kernel/operation/app.ts'
import { BARE_PLATFORM } from '../../storage/read/bare-platform.ts'
import { type Lookup, lookupById, lookupByKey } from '../../storage/read/lookup.ts'
import type { AgentDeviceCodeRow, AgentRow } from '../../storage/rows/agent.ts'
import type { BarePlatformRow } from '../../storage/rows/tables.ts'

const BY_ID = lookupById('agents')

/** Finds an agent, deleted or not. */
export async function selectAgent(op: Op, id: string): Promise<AgentRow | undefined> {
  return op.find(BY_ID, id)
}

type ActingAgentRow = BarePlatformRow & {
  agent_id: string
  agent_name: string
  agent_customer_id: string
  agent_is_paused: boolean
  token_hash: string
}

const ACTING_BY_TOKEN = lookupByKey<ActingAgentRow>(
  `SELECT ${BARE_PLATFORM}, a.id AS agent_id, a.name AS agent_name, a.customer_id AS agent_customer_id,
     a.is_paused AS agent_is_paused, a.token_hash
   FROM agents a JOIN platforms p ON p.id = a.platform_id JOIN customers c ON c.id = a.customer_id
   WHERE a.token_hash = ANY ($1::text[]) AND a.deleted_at IS NULL AND c.deleted_at IS NULL AND p.closed_at IS NULL`,
  'token_hash',
)

/**
 * Finds the agent of a token and its platform in one statement, because every request of an agent needs both.
 */
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

const CODE_BY_MAC = lookupByKey<AgentDeviceCodeRow>(
  'SELECT * FROM agent_device_codes WHERE code_mac = ANY ($1::text[])',
  'code_mac',
)

export async function selectDeviceCode(op: Op, codeMac: string): Promise<AgentDeviceCodeRow | undefined> {
  return op.find(CODE_BY_MAC, codeMac)
}

const PLATFORM_BY_CODE = lookupByKey<BarePlatformRow & { code_mac: string }>(
  `SELECT ${BARE_PLATFORM}, c.code_mac FROM agent_device_codes c JOIN platforms p ON p.id = c.platform_id
   WHERE c.code_mac = ANY ($1::text[]) AND p.closed_at IS NULL`,
  'code_mac',
)

/** The platform that created a device code. */
export async function selectCodePlatform(
  lookup: Lookup,
  codeMac: string,
): Promise<BarePlatformRow | undefined> {
  const row = await lookup(PLATFORM_BY_CODE, codeMac)
  if (!row) return undefined
  const { code_mac: _, ...platform } = row
  return platform
}
