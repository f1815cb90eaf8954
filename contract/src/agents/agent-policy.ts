import { Type } from 'typebox'
import { CurrencyCode } from '../core/formats.ts'
import { Id, IdOfAny } from '../core/ids.ts'
import { Int64, NullableArray, NullableInt64, OneOfWords, Pattern, Text } from '../core/schema.ts'

/** What an agent may be allowed to do. What a policy does not name it does not allow. */
export const AGENT_PERMISSIONS = [
  'VIEW_TRANSACTIONS',
  'CREATE_TRANSFERS',
  'CREATE_QUOTES',
  'EXECUTE_QUOTES',
  'MANAGE_EXTERNAL_ACCOUNTS',
] as const
export type AgentPermission = (typeof AGENT_PERMISSIONS)[number]

/** Those by which money moves. Whoever gives them to an agent must be allowed to move money. */
export const AGENT_SPENDING_PERMISSIONS = [
  'CREATE_TRANSFERS',
  'EXECUTE_QUOTES',
] as const satisfies readonly AgentPermission[]

/** Whether an action is done at once or waits for the platform. */
export const AGENT_EXECUTION_MODES = ['AUTO', 'APPROVAL_REQUIRED'] as const
export type AgentExecutionMode = (typeof AGENT_EXECUTION_MODES)[number]

export const AgentPermissionWord = OneOfWords(AGENT_PERMISSIONS)
export const AgentExecutionModeWord = OneOfWords(AGENT_EXECUTION_MODES)

const AccountId = IdOfAny(['InternalAccount', 'ExternalAccount'])

const perTransactionLimit = Int64({ minimum: 0, description: 'The most that one action may move' })

const budgets = {
  dailyLimit: Type.Optional(
    NullableInt64({ minimum: 0, description: 'The most on one day, in UTC. null or left out: no limit' }),
  ),
  dailyTransactionLimit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'How many actions on one day, in UTC. Left out: no limit',
    }),
  ),
  monthlyLimit: Type.Optional(
    NullableInt64({ minimum: 0, description: 'The most in one month, in UTC. null or left out: no limit' }),
  ),
}

/** In the smallest unit of `currency`. What is moved in another currency is converted when it is asked for. */
export const AgentSpendingLimits = Type.Object({ currency: CurrencyCode, perTransactionLimit, ...budgets })

export const AgentSpendingLimitsUpdate = Type.Object({
  currency: Type.Optional(CurrencyCode),
  perTransactionLimit: Type.Optional(perTransactionLimit),
  ...budgets,
})

/** What holds for the actions that touch one account, beside what holds for all. */
export const AgentAccountRule = Type.Object({
  accountId: AccountId,
  executionMode: Type.Optional(AgentExecutionModeWord),
  perTransactionLimit: Type.Optional(
    NullableInt64({
      minimum: 0,
      description: 'The most that one action with this account may move, in the currency of spendingLimits',
    }),
  ),
})

export const AgentAccountRestrictions = Type.Object({
  allowedAccountIds: Type.Optional(
    NullableArray(Id('InternalAccount'), {
      maxItems: 200,
      uniqueItems: true,
      description:
        'Every account here that an action touches must be one of these, on either side. Accounts elsewhere are not held ' +
        'against it. null or left out: all accounts of the customer',
    }),
  ),
  allowedExternalAccountIds: Type.Optional(
    NullableArray(Id('ExternalAccount'), {
      maxItems: 200,
      uniqueItems: true,
      description:
        'Every account elsewhere that an action touches must be one of these: whom it pays, or what it pulls from. With a ' +
        'list, UMA addresses are not allowed. null or left out: all accounts of the customer, and UMA addresses',
    }),
  ),
  accountRules: Type.Optional(Type.Array(AgentAccountRule, { maxItems: 200 })),
})

/** An action that moves more than `amount` waits for the platform. */
export const AgentApprovalThresholds = Type.Object({
  currency: Type.Optional(CurrencyCode),
  amount: Type.Optional(
    NullableInt64({
      minimum: 0,
      description:
        'Smallest unit of currency, which is that of spendingLimits where it is left out. null: none',
    }),
  ),
})

/** What an agent may do, with how much, and what it has to ask for. */
export const AgentPolicy = Type.Object({
  permissions: Type.Array(AgentPermissionWord, { maxItems: 100, uniqueItems: true }),
  defaultExecutionMode: AgentExecutionModeWord,
  spendingLimits: AgentSpendingLimits,
  accountRestrictions: Type.Optional(AgentAccountRestrictions),
  approvalThresholds: Type.Optional(AgentApprovalThresholds),
})

/** What is given replaces what was there; inside the three groups, member by member. */
export const AgentPolicyUpdateRequest = Type.Object({
  permissions: Type.Optional(AgentPolicy.properties.permissions),
  defaultExecutionMode: Type.Optional(AgentExecutionModeWord),
  spendingLimits: Type.Optional(AgentSpendingLimitsUpdate),
  accountRestrictions: Type.Optional(AgentAccountRestrictions),
  approvalThresholds: Type.Optional(AgentApprovalThresholds),
})

/** What an agent has used of its limits, in their currency: what was done, and what waits for approval. */
export const AgentUsage = Type.Object({
  dailyTransactionCount: Type.Integer({ minimum: 0 }),
  dailySpend: Int64({ minimum: 0 }),
  dailyResetDate: Type.Optional(
    Type.String({ format: 'date', description: 'The day on which the daily figures begin anew' }),
  ),
  monthlySpend: Int64({ minimum: 0 }),
  monthlyResetMonth: Type.Optional(
    Pattern('^[0-9]{4,6}-[0-9]{2}$', { description: 'The month in which the monthly sum begins anew' }),
  ),
})

/** Why an action is denied. Rules are asked in this order, and the first that speaks decides. */
export const AGENT_DENIAL_RULES = [
  'paused',
  'permission',
  'account',
  'externalAccount',
  'conversion',
  'perTransactionLimit',
  'accountPerTransactionLimit',
  'dailyTransactionLimit',
  'dailyLimit',
  'monthlyLimit',
] as const
export type AgentDenialRule = (typeof AGENT_DENIAL_RULES)[number]

/** What each of them is answered with, and when it says no. The guide prints it. */
export const AGENT_DENIALS = {
  paused: { code: 'FORBIDDEN', when: 'the agent is paused' },
  permission: { code: 'FORBIDDEN', when: 'the policy does not have the permission that the call needs' },
  account: {
    code: 'FORBIDDEN',
    when: 'there are allowedAccountIds, and the action touches an account here that is none of them',
  },
  externalAccount: {
    code: 'FORBIDDEN',
    when: 'there are allowedExternalAccountIds, and the action touches an account elsewhere that is none of them, or an UMA address',
  },
  conversion: {
    code: 'FORBIDDEN',
    when: 'there is no rate from what is moved to the currency of the limits',
  },
  perTransactionLimit: { code: 'VELOCITY_LIMIT_EXCEEDED', when: 'the action moves more than one action may' },
  accountPerTransactionLimit: {
    code: 'VELOCITY_LIMIT_EXCEEDED',
    when: 'it moves more than one action with this account may',
  },
  dailyTransactionLimit: {
    code: 'VELOCITY_LIMIT_EXCEEDED',
    when: 'there were as many actions today as there may be',
  },
  dailyLimit: { code: 'VELOCITY_LIMIT_EXCEEDED', when: 'it moves more than is left for today' },
  monthlyLimit: { code: 'VELOCITY_LIMIT_EXCEEDED', when: 'it moves more than is left for this month' },
} as const satisfies Record<
  AgentDenialRule,
  { readonly code: 'FORBIDDEN' | 'VELOCITY_LIMIT_EXCEEDED'; readonly when: string }
>

/** Why an action that is not denied waits for the platform. */
export const AGENT_APPROVAL_RULES = [
  'accountExecutionMode',
  'defaultExecutionMode',
  'approvalThreshold',
  'walletSignature',
] as const
export type AgentApprovalRule = (typeof AGENT_APPROVAL_RULES)[number]

/** When each of them asks for an approval. The guide prints it. */
export const AGENT_APPROVALS = {
  accountExecutionMode: 'the rule of an account that it touches has executionMode APPROVAL_REQUIRED',
  defaultExecutionMode:
    'defaultExecutionMode is APPROVAL_REQUIRED, and no account that it touches has an executionMode of its own',
  approvalThreshold:
    'it moves more than approvalThresholds.amount, or there is no rate to that currency to say',
  walletSignature: 'an embedded wallet pays, and its holder has not signed',
} as const satisfies Record<AgentApprovalRule, string>

export const AGENT_DECISION_OUTCOMES = ['ALLOWED', 'APPROVAL_REQUIRED', 'DENIED'] as const

/** What a policy says to an action. */
export const AgentDecision = Type.Object({
  outcome: OneOfWords(AGENT_DECISION_OUTCOMES),
  rule: Type.Optional(OneOfWords(AGENT_DENIAL_RULES, 'DENIED: the rule that says no')),
  subject: Type.Optional(
    Text(255, { description: 'DENIED: the permission or the account that is not allowed' }),
  ),
  asked: Type.Optional(Int64({ minimum: 0, description: 'DENIED by a limit: what was asked of it' })),
  left: Type.Optional(Int64({ minimum: 0, description: 'DENIED by a limit: what was left of it' })),
  because: Type.Optional(
    Type.Array(OneOfWords(AGENT_APPROVAL_RULES), {
      description: 'APPROVAL_REQUIRED: the rules that ask for it',
    }),
  ),
  amount: Type.Optional(Int64({ minimum: 0, description: 'What it moves, in the currency of the limits' })),
  currency: Type.Optional(CurrencyCode),
})
