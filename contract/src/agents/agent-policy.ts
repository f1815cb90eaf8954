import { Type } from 'typebox'
import { CurrencyCode } from '../core/formats.ts'
import { Id, IdOfAny } from '../core/ids.ts'
import { Int64, NullableArray, NullableInt64, OneOfWords, Pattern, Text } from '../core/schema.ts'

/** An agent's permissions. A policy allows only what it lists. */
export const AGENT_PERMISSIONS = [
  'VIEW_TRANSACTIONS',
  'CREATE_TRANSFERS',
  'CREATE_QUOTES',
  'EXECUTE_QUOTES',
  'MANAGE_EXTERNAL_ACCOUNTS',
] as const
export type AgentPermission = (typeof AGENT_PERMISSIONS)[number]

/** Permissions to move money. Only a caller who may move money can grant them. */
export const AGENT_SPENDING_PERMISSIONS = [
  'CREATE_TRANSFERS',
  'EXECUTE_QUOTES',
] as const satisfies readonly AgentPermission[]

/** An action is executed immediately, or waits for the platform's approval. */
export const AGENT_EXECUTION_MODES = ['AUTO', 'APPROVAL_REQUIRED'] as const
export type AgentExecutionMode = (typeof AGENT_EXECUTION_MODES)[number]

export const AgentPermissionWord = OneOfWords(AGENT_PERMISSIONS)
export const AgentExecutionModeWord = OneOfWords(AGENT_EXECUTION_MODES)

const AccountId = IdOfAny(['InternalAccount', 'ExternalAccount'])

const perTransactionLimit = Int64({ minimum: 0, description: 'Maximum amount of one action' })

const budgets = {
  dailyLimit: Type.Optional(
    NullableInt64({ minimum: 0, description: 'Maximum total of one day, in UTC. null or omitted: no limit' }),
  ),
  dailyTransactionLimit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Maximum number of actions on one day, in UTC. Omitted: no limit',
    }),
  ),
  monthlyLimit: Type.Optional(
    NullableInt64({
      minimum: 0,
      description: 'Maximum total of one month, in UTC. null or omitted: no limit',
    }),
  ),
}

/**
 * Limits in the smallest unit of `currency`. An amount in another currency is converted when the action is
 * requested.
 */
export const AgentSpendingLimits = Type.Object({ currency: CurrencyCode, perTransactionLimit, ...budgets })

export const AgentSpendingLimitsUpdate = Type.Object({
  currency: Type.Optional(CurrencyCode),
  perTransactionLimit: Type.Optional(perTransactionLimit),
  ...budgets,
})

/** A rule for actions that use a particular account, in addition to the general rules. */
export const AgentAccountRule = Type.Object({
  accountId: AccountId,
  executionMode: Type.Optional(AgentExecutionModeWord),
  perTransactionLimit: Type.Optional(
    NullableInt64({
      minimum: 0,
      description: 'Maximum amount of one action with this account, in the currency of spendingLimits',
    }),
  ),
})

export const AgentAccountRestrictions = Type.Object({
  allowedAccountIds: Type.Optional(
    NullableArray(Id('InternalAccount'), {
      maxItems: 200,
      uniqueItems: true,
      description:
        'Every internal account that an action uses, as source or destination, must be in this list. It ' +
        'does not restrict external accounts. null or omitted: all accounts of the customer',
    }),
  ),
  allowedExternalAccountIds: Type.Optional(
    NullableArray(Id('ExternalAccount'), {
      maxItems: 200,
      uniqueItems: true,
      description:
        'Every external account that an action pays or pulls from must be in this list. With a list, UMA ' +
        'addresses are not allowed. null or omitted: all external accounts of the customer, and UMA ' +
        'addresses',
    }),
  ),
  accountRules: Type.Optional(Type.Array(AgentAccountRule, { maxItems: 200 })),
})

/** Actions that move more than `amount` wait for the platform's approval. */
export const AgentApprovalThresholds = Type.Object({
  currency: Type.Optional(CurrencyCode),
  amount: Type.Optional(
    NullableInt64({
      minimum: 0,
      description:
        'In the smallest unit of currency. Without currency, the currency of spendingLimits applies. null: no threshold',
    }),
  ),
})

/** An agent's permissions, limits and approval rules. */
export const AgentPolicy = Type.Object({
  permissions: Type.Array(AgentPermissionWord, { maxItems: 100, uniqueItems: true }),
  defaultExecutionMode: AgentExecutionModeWord,
  spendingLimits: AgentSpendingLimits,
  accountRestrictions: Type.Optional(AgentAccountRestrictions),
  approvalThresholds: Type.Optional(AgentApprovalThresholds),
})

/**
 * A change to a policy. Given fields replace the current ones. The three nested groups are merged field by
 * field.
 */
export const AgentPolicyUpdateRequest = Type.Object({
  permissions: Type.Optional(AgentPolicy.properties.permissions),
  defaultExecutionMode: Type.Optional(AgentExecutionModeWord),
  spendingLimits: Type.Optional(AgentSpendingLimitsUpdate),
  accountRestrictions: Type.Optional(AgentAccountRestrictions),
  approvalThresholds: Type.Optional(AgentApprovalThresholds),
})

/**
 * The part of its limits that an agent has used, in their currency: executed actions, and actions waiting for
 * approval.
 */
export const AgentUsage = Type.Object({
  dailyTransactionCount: Type.Integer({ minimum: 0 }),
  dailySpend: Int64({ minimum: 0 }),
  dailyResetDate: Type.Optional(
    Type.String({ format: 'date', description: 'The day on which the daily figures are reset' }),
  ),
  monthlySpend: Int64({ minimum: 0 }),
  monthlyResetMonth: Type.Optional(
    Pattern('^[0-9]{4,6}-[0-9]{2}$', { description: 'The month in which the monthly total is reset' }),
  ),
})

/** Why an action is denied. The rules are checked in this order, and the first one that applies decides. */
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

/** Each rule's error code, and when the rule denies an action. The guide prints this table. */
export const AGENT_DENIALS = {
  paused: { code: 'FORBIDDEN', when: 'the agent is paused' },
  permission: { code: 'FORBIDDEN', when: 'the policy lacks the permission that the call needs' },
  account: {
    code: 'FORBIDDEN',
    when: 'allowedAccountIds is set, and the action uses an internal account that is not in it',
  },
  externalAccount: {
    code: 'FORBIDDEN',
    when: 'allowedExternalAccountIds is set, and the action uses an external account that is not in it, or an UMA address',
  },
  conversion: {
    code: 'FORBIDDEN',
    when: 'no exchange rate converts the amount to the currency of the limits',
  },
  perTransactionLimit: {
    code: 'VELOCITY_LIMIT_EXCEEDED',
    when: 'the amount exceeds the limit of one action',
  },
  accountPerTransactionLimit: {
    code: 'VELOCITY_LIMIT_EXCEEDED',
    when: 'the amount exceeds the limit of one action with this account',
  },
  dailyTransactionLimit: {
    code: 'VELOCITY_LIMIT_EXCEEDED',
    when: 'the number of actions today has reached its limit',
  },
  dailyLimit: { code: 'VELOCITY_LIMIT_EXCEEDED', when: 'the amount exceeds what is left for today' },
  monthlyLimit: { code: 'VELOCITY_LIMIT_EXCEEDED', when: 'the amount exceeds what is left for this month' },
} as const satisfies Record<
  AgentDenialRule,
  { readonly code: 'FORBIDDEN' | 'VELOCITY_LIMIT_EXCEEDED'; readonly when: string }
>

/** Why an action that is not denied needs the platform's approval. */
export const AGENT_APPROVAL_RULES = [
  'accountExecutionMode',
  'defaultExecutionMode',
  'approvalThreshold',
  'walletSignature',
] as const
export type AgentApprovalRule = (typeof AGENT_APPROVAL_RULES)[number]

/** When each rule requires an approval. The guide prints this table. */
export const AGENT_APPROVALS = {
  accountExecutionMode: 'the rule of an account that it uses has executionMode APPROVAL_REQUIRED',
  defaultExecutionMode:
    'defaultExecutionMode is APPROVAL_REQUIRED, and no account that it uses has its own executionMode',
  approvalThreshold:
    'the amount exceeds approvalThresholds.amount, or no exchange rate converts it to that currency',
  walletSignature: 'the source is an embedded wallet, and its holder has not signed',
} as const satisfies Record<AgentApprovalRule, string>

export const AGENT_DECISION_OUTCOMES = ['ALLOWED', 'APPROVAL_REQUIRED', 'DENIED'] as const

/** A policy's decision on an action. */
export const AgentDecision = Type.Object({
  outcome: OneOfWords(AGENT_DECISION_OUTCOMES),
  rule: Type.Optional(OneOfWords(AGENT_DENIAL_RULES, 'DENIED: the rule that denies')),
  subject: Type.Optional(
    Text(255, { description: 'DENIED: the permission or the account that is not allowed' }),
  ),
  asked: Type.Optional(
    Int64({ minimum: 0, description: 'DENIED by a limit: the amount or count requested' }),
  ),
  left: Type.Optional(Int64({ minimum: 0, description: 'DENIED by a limit: the amount or count left' })),
  because: Type.Optional(
    Type.Array(OneOfWords(AGENT_APPROVAL_RULES), {
      description: 'APPROVAL_REQUIRED: the rules that require it',
    }),
  ),
  amount: Type.Optional(
    Int64({ minimum: 0, description: 'The amount of the action, in the currency of the limits' }),
  ),
  currency: Type.Optional(CurrencyCode),
})
