import type { AgentPolicy } from '@countersign/contract/agents/agent-policy'
import type { Agent as AgentSchema } from '@countersign/contract/agents/agents'
import type { Static } from 'typebox'
import { getDecimals } from '../../ui/currency-decimals.ts'
import { formatFigures } from '../../ui/money-format.ts'

export type Agent = Static<typeof AgentSchema>
export type Policy = Static<typeof AgentPolicy>

/** Summarizes an agent's state. */
export function getAgentState({ isPaused, isConnected }: Agent): 'PAUSED' | 'ACTIVE' | 'NOT_CONNECTED' {
  if (isPaused) return 'PAUSED'
  return isConnected ? 'ACTIVE' : 'NOT_CONNECTED'
}

/** Formats an amount of a policy: `1,234.50 USD`. */
export function formatLimit(amount: bigint, code: string): string {
  return `${formatFigures({ amount, decimals: getDecimals(code) })} ${code}`
}
