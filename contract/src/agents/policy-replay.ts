import { Type } from 'typebox'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint, KIB } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOfWords, Timestamp } from '../core/schema.ts'
import { AGENT_ACTION_TYPES } from './agent-actions.ts'
import { AGENT_DECISION_OUTCOMES, AgentPolicyUpdateRequest } from './agent-policy.ts'

/** Maximum number of actions in a replay. */
export const REPLAYED_ACTIONS_MAX = 1000

/** Default period of a replay. */
export const REPLAY_DAYS = 7

const outcome = (description: string) => OneOfWords(AGENT_DECISION_OUTCOMES, description)

/** A past action under the draft policy. */
export const ReplayedAction = Type.Object({
  decisionId: Id('AgentDecision', 'The action as it was decided then'),
  at: Timestamp(),
  actionType: OneOfWords(AGENT_ACTION_TYPES),
  amount: Type.Optional(CurrencyAmount),
  payee: Type.Optional(Type.String({ description: 'The intended payee' })),
  was: outcome('The decision of the policy at that time'),
  wouldBe: outcome('The decision of the draft'),
  rule: Type.Optional(Type.String({ description: 'The rule of the draft that denies it or needs approval' })),
  words: Type.String({ description: 'The reason as a sentence' }),
})

const OutcomeCounts = Type.Object({
  ALLOWED: Type.Integer({ minimum: 0 }),
  APPROVAL_REQUIRED: Type.Integer({ minimum: 0 }),
  DENIED: Type.Integer({ minimum: 0 }),
})

export const PolicyReplay = Type.Object({
  data: Type.Array(ReplayedAction, { description: 'Oldest first' }),
  counts: Type.Object({
    actions: Type.Integer({ minimum: 0 }),
    changed: Type.Integer({ minimum: 0, description: 'Actions about which the draft decides otherwise' }),
    was: OutcomeCounts,
    wouldBe: OutcomeCounts,
  }),
  isCut: Type.Boolean({ description: `True if there were more than ${REPLAYED_ACTIONS_MAX} actions` }),
})

export const PolicyReplayRequest = Type.Object({
  policy: AgentPolicyUpdateRequest,
  startDate: Type.Optional(Timestamp(`Asked for at or after. Left out: ${REPLAY_DAYS} days before the end`)),
  endDate: Type.Optional(Timestamp('Asked for at or before. Left out: now')),
})

/** Tries a draft policy on past actions. */
export const agent_policy_replay = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'POST',
  path: '/agents/{agentId}/policy/replay',
  changesNothing: true,
  tag: 'Agents',
  summary: 'Replay past actions against a draft of a policy',
  description:
    'Runs the actions that an agent has requested against a draft of its policy, in their order. The draft is a change as ' +
    'in the call that makes it; actions that it would have allowed count against its limits, and actions that it leaves to a person are ' +
    'treated as approved. Amounts are the original ones, converted at the current rate if the draft has another currency. ' +
    'Nothing is changed or recorded.',
  params: Type.Object({ agentId: PathId }),
  body: PolicyReplayRequest,
  bodyBytesMax: 96 * KIB,
  responses: { 200: PolicyReplay },
  errors: ['INVALID_INPUT', 'INVALID_CURRENCY', 'ACCOUNT_NOT_FOUND', 'AGENT_NOT_FOUND'],
})

export const policyReplays = { agent_policy_replay }
