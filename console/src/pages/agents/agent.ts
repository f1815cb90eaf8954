import type { AgentPolicy } from '@countersign/contract/agents/agent-policy'
import type { Agent as AgentSchema } from '@countersign/contract/agents/agents'
import { CURRENCIES, isKnownCurrency } from '@countersign/contract/core/currencies'
import type { Static } from 'typebox'
import { formatFigures } from '../../ui/money-format.ts'

export type Agent = Static<typeof AgentSchema>
export type Policy = Static<typeof AgentPolicy>

/** Summarizes an agent's state. */
export function getAgentState({ isPaused, isConnected }: Agent): 'PAUSED' | 'ACTIVE' | 'NOT_CONNECTED' {
  if (isPaused) return 'PAUSED'
  return isConnected ? 'ACTIVE' : 'NOT_CONNECTED'
}

/** Returns a currency's decimals, or 0 if the currency is unknown. */
export function getDecimals(code: string): number {
  return isKnownCurrency(code) ? CURRENCIES[code].decimals : 0
}

/** Formats an amount of a policy: `1,234.50 USD`. */
export function formatLimit(amount: bigint, code: string): string {
  return `${formatFigures({ amount, decimals: getDecimals(code) })} ${code}`
}
