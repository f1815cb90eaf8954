import { Type } from 'typebox'
import { endpoint, KIB } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id, IdOfAny, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { NamedPage, namesQuery } from '../core/record-names.ts'
import {
  FreeForm,
  Int64,
  OneOfWords,
  Opaque,
  Page,
  Prose,
  pageQuery,
  Text,
  Timestamp,
  timeRangeQuery,
} from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'
import { SignedRequestChallenge } from '../core/signed-retry.ts'
import { AGENT_ACTION_TYPES, AgentAction } from './agent-actions.ts'
import {
  AGENT_SPENDING_PERMISSIONS,
  AgentDecision,
  AgentPolicy,
  AgentPolicyUpdateRequest,
  AgentUsage,
} from './agent-policy.ts'

/** The lifetime of a device code. */
export const DEVICE_CODE_SECONDS = 15 * 60

/** A program that acts for one customer, restricted by a policy. */
export const Agent = Type.Object({
  id: Id('Agent'),
  name: Text(255),
  customerId: Id('Customer'),
  isPaused: Type.Boolean({ description: 'True: the agent can only read' }),
  isConnected: Type.Boolean({ description: 'True once the agent has redeemed a device code' }),
  policy: AgentPolicy,
  usage: AgentUsage,
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

/** A code that connects an agent. It can be read aloud or typed, works once, and expires after 15 minutes. */
export const AgentDeviceCode = Type.Object({
  code: Secret(Text(32, { description: 'Case and hyphens are ignored' })),
  agentId: Id('Agent'),
  expiresAt: Timestamp(),
  redeemed: Type.Boolean(),
})

export const AgentCreateRequest = Type.Object({
  name: Text(255),
  customerId: Id('Customer', 'The customer for whom the agent acts. It has no access to other customers'),
  policy: AgentPolicy,
})

export const CreatedAgent = Type.Object({ agent: Agent, deviceCode: AgentDeviceCode })

export const AgentUpdateRequest = Type.Object({
  name: Type.Optional(Text(255)),
  isPaused: Type.Optional(Type.Boolean()),
})

export const AgentDeviceCodeStatus = Type.Object({ code: Secret(Text(32)), redeemed: Type.Boolean() })

/** The only response that contains the token. */
export const RedeemedAgentDeviceCode = Type.Object({
  agentId: Id('Agent'),
  agentName: Text(255),
  accessToken: Secret(
    Opaque(255, { description: 'Sent as Authorization: Bearer. Valid until the next code is redeemed' }),
  ),
  policy: AgentPolicy,
})

export const AgentActionRejectRequest = Type.Object({
  reason: Type.Optional(Prose(500, { description: 'Shown to the agent' })),
})

/** A hypothetical action for the policy to decide on. Nothing is executed. */
export const AgentPolicySimulateRequest = Type.Object({
  type: OneOfWords(AGENT_ACTION_TYPES),
  amount: Int64({
    exclusiveMinimum: 0,
    description: 'In the smallest unit of currency; for a quote, the sending amount',
  }),
  currency: CurrencyCode,
  sourceAccountId: Type.Optional(IdOfAny(['InternalAccount', 'ExternalAccount'])),
  destinationAccountId: Type.Optional(
    IdOfAny(['InternalAccount', 'ExternalAccount'], 'Omitted: an UMA address'),
  ),
})

export const AgentPolicySimulation = Type.Object({ decision: AgentDecision, usage: AgentUsage })

/** A policy's decision with everything on which it was based. */
export const AgentDecisionRecord = Type.Object({
  id: Id('AgentDecision'),
  agentId: Id('Agent'),
  actionId: Type.Optional(Id('AgentAction', 'The action that was created or approved')),
  decision: AgentDecision,
  inputs: FreeForm('The request, policy, usage and pause at the time of the decision'),
  createdAt: Timestamp(),
})

const agentPath = Type.Object({ agentId: PathId })
const actionPath = Type.Object({ agentId: PathId, actionId: PathId })
const codePath = Type.Object({ code: Secret(PathId) })
const tag = 'Agents'

const sortOrder = Type.Optional(
  Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
)

/** An agent can move money on its creator's behalf, so a token cannot grant more than its own permissions. */
const furtherPermission = {
  permission: 'TRANSACT',
  when: `the policy after the call has ${AGENT_SPENDING_PERMISSIONS.join(' or ')}`,
} as const

export const agent_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  furtherPermission,
  method: 'POST',
  path: '/agents',
  tag,
  summary: 'Create an agent',
  description:
    'Sets up a program that may act for one customer within a policy. The device code in the response ' +
    'connects the agent. It is shown once.',
  body: AgentCreateRequest,
  bodyBytesMax: 96 * KIB,
  responses: { 201: CreatedAgent },
  errors: [
    'INVALID_INPUT',
    'INVALID_CURRENCY',
    'FORBIDDEN',
    'ACCOUNT_NOT_FOUND',
    'CUSTOMER_DELETED',
    'USER_NOT_FOUND',
  ],
})

export const agent_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/agents',
  tag,
  summary: 'List agents',
  description: "Lists the platform's agents with their policies and usage, newest first.",
  query: Type.Object({
    customerId: Type.Optional(Id('Customer')),
    isPaused: Type.Optional(Type.Boolean()),
    isConnected: Type.Optional(Type.Boolean()),
    ...timeRangeQuery,
    ...namesQuery,
    ...pageQuery,
  }),
  responses: { 200: NamedPage(Agent) },
  errors: ['INVALID_INPUT'],
})

export const agent_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/agents/{agentId}',
  tag,
  summary: 'Read an agent',
  description: 'Shows one agent: its policy, its usage, and whether it is connected, paused or neither.',
  params: agentPath,
  responses: { 200: Agent },
  errors: ['AGENT_NOT_FOUND'],
})

export const agent_update = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  furtherPermission: {
    ...furtherPermission,
    when: `${furtherPermission.when}; pausing alone does not need TRANSACT`,
  },
  method: 'PATCH',
  path: '/agents/{agentId}',
  tag,
  summary: 'Rename or pause an agent',
  description:
    'Renames or pauses an agent: a paused agent can read, but cannot move money. Its token stays ' + 'valid.',
  params: agentPath,
  body: AgentUpdateRequest,
  responses: { 200: Agent },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'AGENT_NOT_FOUND'],
})

/** Revokes the agent's token immediately and rejects its pending approvals. */
export const agent_delete = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'DELETE',
  path: '/agents/{agentId}',
  tag,
  summary: 'Delete an agent',
  description:
    'Deletes an agent: its token is revoked immediately, and its pending actions are rejected. Its history is kept.',
  params: agentPath,
  responses: { 204: null },
  errors: ['AGENT_NOT_FOUND'],
})

/** Applies from the next request on. Pending actions are checked against the new policy when decided. */
export const agent_policy_update = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  furtherPermission,
  method: 'PATCH',
  path: '/agents/{agentId}/policy',
  tag,
  summary: 'Change a policy',
  description:
    "Changes an agent's policy. Omitted properties keep their value. The change takes effect on the next " +
    'request, also for pending actions. A new limit currency resets the usage to zero, so the request ' +
    'must state all limits again.',
  params: agentPath,
  body: AgentPolicyUpdateRequest,
  bodyBytesMax: 96 * KIB,
  responses: { 200: Agent },
  errors: ['INVALID_INPUT', 'INVALID_CURRENCY', 'FORBIDDEN', 'ACCOUNT_NOT_FOUND', 'AGENT_NOT_FOUND'],
})

export const agent_policy_simulate = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'POST',
  path: '/agents/{agentId}/policy/simulate',
  tag,
  changesNothing: true,
  summary: 'Check an action against a policy',
  description:
    "Returns whether an agent's action would be allowed, would be denied or would need approval, and by " +
    'which rule. Nothing is executed, reserved or recorded. Balances are not checked.',
  params: agentPath,
  body: AgentPolicySimulateRequest,
  responses: { 200: AgentPolicySimulation },
  errors: ['INVALID_INPUT', 'INVALID_CURRENCY', 'ACCOUNT_NOT_FOUND', 'AGENT_NOT_FOUND'],
})

export const agent_decision_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/agents/{agentId}/decisions',
  tag,
  summary: 'List the decisions of a policy',
  description:
    "Lists the decisions of an agent's policy with the rule that decided each, newest first; also " +
    'for a deleted agent.',
  params: agentPath,
  query: Type.Object({ ...pageQuery, sortOrder }),
  responses: { 200: Page(AgentDecisionRecord) },
  errors: ['INVALID_INPUT', 'AGENT_NOT_FOUND'],
})

/** A new code invalidates the previous one. The agent's token stays valid until the new code is redeemed. */
export const agent_device_code_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  furtherPermission,
  method: 'POST',
  path: '/agents/{agentId}/device-codes',
  tag,
  summary: 'Create a device code',
  description:
    'Creates a code that connects an agent again, for example on another machine. Invalidates the ' +
    "previous code. The agent's token stays valid until the new code is redeemed.",
  params: agentPath,
  responses: { 201: AgentDeviceCode },
  errors: ['FORBIDDEN', 'AGENT_NOT_FOUND'],
})

export const agent_device_code_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/agents/device-codes/{code}/status',
  tag,
  summary: 'Read the status of a device code',
  description: 'Returns whether an agent has redeemed a device code, or whether the code has expired.',
  params: codePath,
  responses: { 200: AgentDeviceCodeStatus },
  errors: ['DEVICE_CODE_NOT_FOUND', 'RATE_LIMITED'],
})

/** Authenticated by the code itself. Returns the token, only once, and revokes the previous one. */
export const agent_device_code_redeem = endpoint({
  auth: 'deviceCode',
  method: 'POST',
  path: '/agents/device-codes/{code}/redeem',
  tag: 'Agent access',
  summary: 'Redeem a device code',
  description:
    "Connects an agent: the code is exchanged for the agent's access token, once. Needs no credentials: " +
    'the code is the credential. No other response contains the token.',
  params: codePath,
  responses: { 200: RedeemedAgentDeviceCode },
  errors: ['DEVICE_CODE_NOT_FOUND', 'CUSTOMER_DELETED'],
})

/** The pending actions of all agents. */
export const agent_approval_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/agents/approvals',
  tag,
  summary: 'List pending approvals',
  description: 'Lists the actions that wait for approval, across all agents, newest first.',
  query: Type.Object({
    agentId: Type.Optional(Id('Agent')),
    customerId: Type.Optional(Id('Customer')),
    startDate: Type.Optional(Timestamp('Requested at or after')),
    endDate: Type.Optional(Timestamp('Requested at or before')),
    ...pageQuery,
    sortOrder,
  }),
  responses: { 200: Page(AgentAction) },
  errors: ['INVALID_INPUT'],
})

/**
 * Executes the action if it still passes all checks; otherwise it becomes FAILED, with the reason. A payment
 * from an embedded wallet must be signed by its holder, so its approval is a signed retry over the quote's
 * payload.
 */
export const agent_action_approve = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/agents/{agentId}/actions/{actionId}/approve',
  tag,
  summary: 'Approve an action',
  description:
    "Executes an agent's action. All checks run again; if one fails, the action becomes FAILED and its " +
    'reservation is released. A repeated call returns the first response. For an embedded wallet the ' +
    'customer signs: 202 returns the payload, and the signed retry approves. If the platform has set ' +
    'approvalsRequired, only members can approve, and the action does not change until enough of them ' +
    'have; the customer signs last.',
  signed: true,
  params: actionPath,
  responses: { 200: AgentAction, 202: SignedRequestChallenge },
  errors: [
    'UNAUTHORIZED',
    'FORBIDDEN',
    'AGENT_NOT_FOUND',
    'AGENT_ACTION_NOT_FOUND',
    'ACTION_ALREADY_DECIDED',
    'APPROVALS_MISSING',
  ],
})

export const agent_action_reject = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  method: 'POST',
  path: '/agents/{agentId}/actions/{actionId}/reject',
  tag,
  summary: 'Reject an action',
  description:
    "Rejects an agent's action and releases its reservation. A repeated call returns the first response.",
  params: actionPath,
  body: AgentActionRejectRequest,
  bodyOptional: true,
  responses: { 200: AgentAction },
  errors: ['INVALID_INPUT', 'AGENT_NOT_FOUND', 'AGENT_ACTION_NOT_FOUND', 'ACTION_ALREADY_DECIDED'],
})

export const agents = {
  agent_create,
  agent_list,
  agent_csv: fileOfList(agent_list, 'agents'),
  agent_get,
  agent_update,
  agent_policy_update,
  agent_policy_simulate,
  agent_decision_list,
  agent_decision_csv: { ...fileOfList(agent_decision_list, 'decisions'), params: agentPath },
  agent_device_code_create,
  agent_device_code_get,
  agent_device_code_redeem,
}

export const agentApprovals = { agent_delete, agent_approval_list, agent_action_approve, agent_action_reject }
