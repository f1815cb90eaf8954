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

const outcomeSchema = (description: string) => OneOfWords(AGENT_DECISION_OUTCOMES, description)

/** A past action under the draft policy. */
export const ReplayedAction = Type.Object({
  decisionId: Id('AgentDecision', 'The original decision'),
  at: Timestamp(),
  actionType: OneOfWords(AGENT_ACTION_TYPES),
  amount: Type.Optional(CurrencyAmount),
  payee: Type.Optional(Type.String({ description: 'The intended payee' })),
  was: outcomeSchema("The policy's decision at that time"),
  wouldBe: outcomeSchema("The draft's decision"),
  rule: Type.Optional(Type.String({ description: "The draft's rule that denies it or requires approval" })),
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
    changed: Type.Integer({ minimum: 0, description: 'Actions that the draft decides differently' }),
    was: OutcomeCounts,
    wouldBe: OutcomeCounts,
  }),
  isCut: Type.Boolean({ description: `True if there were more than ${REPLAYED_ACTIONS_MAX} actions` }),
})

export const PolicyReplayRequest = Type.Object({
  policy: AgentPolicyUpdateRequest,
  startDate: Type.Optional(Timestamp(`Requested at or after. Default: ${REPLAY_DAYS} days before endDate`)),
  endDate: Type.Optional(Timestamp('Requested at or before. Default: now')),
})

/** Tries a draft policy on past actions. */
export const agent_policy_replay = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'POST',
  path: '/agents/{agentId}/policy/replay',
  changesNothing: true,
  tag: 'Agents',
  summary: 'Replay past actions against a draft policy',
  description:
    "Replays an agent's past actions, in order, against a draft of its policy. The draft has the same " +
    'form as a policy update. Actions that the draft allows count against its limits, and actions that ' +
    'need approval are treated as approved. Amounts are the original ones, converted at the current rate ' +
    'if the draft has another currency. Nothing is changed or recorded.',
  params: Type.Object({ agentId: PathId }),
  body: PolicyReplayRequest,
  bodyBytesMax: 96 * KIB,
  responses: { 200: PolicyReplay },
  errors: ['INVALID_INPUT', 'INVALID_CURRENCY', 'ACCOUNT_NOT_FOUND', 'AGENT_NOT_FOUND'],
})

export const policyReplays = { agent_policy_replay }
