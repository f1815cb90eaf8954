export const AGENT_ACTION_STATES = ['PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'FAILED'] as const
export type AgentActionState = (typeof AGENT_ACTION_STATES)[number]

export const AGENT_ACTION_EVENTS = ['approve', 'reject', 'fail'] as const
export type AgentActionEvent = (typeof AGENT_ACTION_EVENTS)[number]

/**
 * The states of an agent's action. `approve`: it is executed, and its transaction shows the outcome of the
 * payment. `fail`: it was not decided in time, or failed a check when it was approved.
 */
export const AGENT_ACTION_TRANSITIONS = {
  PENDING_APPROVAL: { approve: 'APPROVED', reject: 'REJECTED', fail: 'FAILED' },
  APPROVED: { approve: null, reject: null, fail: null },
  REJECTED: { approve: null, reject: null, fail: null },
  FAILED: { approve: null, reject: null, fail: null },
} as const satisfies Record<AgentActionState, Record<AgentActionEvent, AgentActionState | null>>
export const AGENT_ACTION_INITIAL = 'PENDING_APPROVAL' satisfies AgentActionState
