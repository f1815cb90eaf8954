import type { AgentDecision, AgentPolicy } from '@countersign/contract/agents/agent-policy'
import type { Static } from 'typebox'
import type { Stamped } from './stamped.ts'
import type { StoredJson } from './stored-documents.ts'

/** The tables of agents. */
export interface AgentTables {
  agents: AgentRow
  agent_policies: AgentPolicyRow
  agent_device_codes: AgentDeviceCodeRow
  agent_actions: AgentActionRow
  agent_decisions: AgentDecisionRow
  agent_reservations: AgentReservationRow
  agent_budgets: AgentBudgetRow
}

export interface AgentRow extends Stamped {
  id: string
  platform_id: string
  customer_id: string
  name: string
  policy: StoredJson<Static<typeof AgentPolicy>>
  is_paused: boolean
  /** SHA-256 of the bearer token in hex. Null until the first device code is redeemed. */
  token_hash: string | null
  /** The only valid code. Null if it was used, or if there never was one. */
  device_code_id: string | null
  /** Incremented when name, policy or pause state change. */
  version: number
  /** The version of the current policy in `agent_policies`. */
  policy_version: number
  deleted_at: Date | null
}

/** The current or an earlier version of an agent's policy. Decisions refer to it by version. */
export interface AgentPolicyRow {
  platform_id: string
  agent_id: string
  version: number
  policy: StoredJson<Static<typeof AgentPolicy>>
  created_at: Date
}

export interface AgentDeviceCodeRow {
  id: string
  platform_id: string
  agent_id: string
  /** A keyed digest in hex. */
  code_mac: string
  expires_at: Date
  redeemed_at: Date | null
  created_at: Date
}

export interface AgentActionRow extends Stamped {
  id: string
  platform_id: string
  agent_id: string
  customer_id: string
  type: 'EXECUTE_QUOTE' | 'TRANSFER_OUT' | 'TRANSFER_IN'
  state: 'PENDING_APPROVAL' | 'APPROVED' | 'REJECTED' | 'FAILED'
  /** The platform's decision, if there was one. */
  decided: 'APPROVE' | 'REJECT' | null
  quote_id: string | null
  transaction_id: string
  /** True if the customer has signed. */
  is_signed: boolean
  reason: string | null
  expires_at: Date
}

export interface AgentDecisionRow {
  id: string
  platform_id: string
  agent_id: string
  action_id: string | null
  decision: StoredJson<Static<typeof AgentDecision>>
  /** All inputs of the decision except the policy. */
  inputs: Record<string, unknown>
  policy_version: number
  created_at: Date
}

export interface AgentReservationRow extends Stamped {
  /** The id of its transaction. */
  id: string
  platform_id: string
  agent_id: string
  state: 'RESERVED' | 'CAPTURED' | 'RELEASED'
  currency: string
  amount: bigint
  day: string
  month: string
}

/** The total of an agent's reservations in a day or month. Only the database writes it. */
export interface AgentBudgetRow {
  platform_id: string
  agent_id: string
  period: string
  currency: string
  spent: bigint
  count: number
}
