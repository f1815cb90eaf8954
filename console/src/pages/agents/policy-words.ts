import type {
  AgentApprovalRule,
  AgentDecision,
  AgentDenialRule,
  AgentPermission,
} from '@countersign/contract/agents/agent-policy'
import type { Static } from 'typebox'
import { formatLimit, type Policy } from './agent.ts'

const MAY: Readonly<Record<AgentPermission, string>> = {
  VIEW_TRANSACTIONS: 'see the payments of its customer',
  CREATE_QUOTES: 'request quotes',
  EXECUTE_QUOTES: 'pay quotes',
  CREATE_TRANSFERS: 'move money in and out',
  MANAGE_EXTERNAL_ACCOUNTS: 'add and remove external accounts',
}

/** Returns a permission's label. */
export function describePermission(permission: AgentPermission): string {
  return MAY[permission].charAt(0).toUpperCase() + MAY[permission].slice(1)
}

/** Describes a policy in sentences, for the person who must approve it. */
export function describePolicy(policy: Policy): string {
  const { permissions } = policy
  if (permissions.length === 0) return 'This agent may only read its accounts.'
  const may = `This agent may ${joinWords(permissions.map((permission) => MAY[permission]))}.`
  const isSpending = permissions.some(
    (permission) => permission === 'CREATE_TRANSFERS' || permission === 'EXECUTE_QUOTES',
  )
  if (!isSpending) return `${may} It moves no money.`
  return [may, describeAmounts(policy), describeApprovals(policy), ...describeAccounts(policy)].join(' ')
}

function describeAmounts({ spendingLimits: limits }: Policy): string {
  const { currency, perTransactionLimit, dailyLimit, dailyTransactionLimit, monthlyLimit } = limits
  if (perTransactionLimit === 0n) return 'It cannot move any money, because the limit per action is 0.'
  const day = [
    ...(dailyLimit == null ? [] : [formatLimit(dailyLimit, currency)]),
    ...(dailyTransactionLimit === undefined ? [] : [countActions(dailyTransactionLimit)]),
  ]
  return `${joinWords([
    `One action moves at most ${formatLimit(perTransactionLimit, currency)}`,
    ...(day.length === 0 ? [] : [`one day at most ${joinWords(day)}`]),
    ...(monthlyLimit == null ? [] : [`one month at most ${formatLimit(monthlyLimit, currency)}`]),
  ])}${day.length === 0 && monthlyLimit == null ? ', with no limit on the number of actions' : ''}.`
}

function describeApprovals({ defaultExecutionMode, approvalThresholds, spendingLimits }: Policy): string {
  if (defaultExecutionMode === 'APPROVAL_REQUIRED') return 'Every action requires approval.'
  const amount = approvalThresholds?.amount
  if (amount == null) return 'It acts without approval.'
  const text = formatLimit(amount, approvalThresholds?.currency ?? spendingLimits.currency)
  return `It acts without approval up to ${text}; larger amounts require approval.`
}

function describeAccounts({ accountRestrictions: rules, spendingLimits }: Policy): string[] {
  const internalRule = rules?.allowedAccountIds
  const externalRule = rules?.allowedExternalAccountIds
  const perAccount = rules?.accountRules ?? []
  return [
    internalRule == null
      ? 'It can use every account of the customer.'
      : `It uses ${describeCount(internalRule.length, 'account')} of the customer.`,
    externalRule == null
      ? 'It can pay every external account, and UMA addresses.'
      : `It pays ${describeCount(externalRule.length, 'external account')}, and no UMA address.`,
    ...perAccount.map(({ accountId, executionMode, perTransactionLimit }) => {
      const kind = accountId.startsWith('External') ? 'external account' : 'account'
      const parts = [
        ...(executionMode === 'APPROVAL_REQUIRED' ? ['every action requires approval'] : []),
        ...(executionMode === 'AUTO' ? ['it is exempt from the approval rule'] : []),
        ...(perTransactionLimit == null
          ? []
          : [`one action moves at most ${formatLimit(perTransactionLimit, spendingLimits.currency)}`]),
      ]
      return parts.length === 0 ? '' : `With the ${kind} …${accountId.slice(-8)}, ${joinWords(parts)}.`
    }),
  ].filter((sentence) => sentence !== '')
}

const DENIED: Readonly<Record<AgentDenialRule, string>> = {
  paused: 'The agent was paused',
  permission: 'The policy does not grant the permission',
  account: 'The policy does not allow the account',
  externalAccount: 'The policy does not allow the payee',
  conversion: 'No exchange rate is available to check the limits',
  perTransactionLimit: 'More than the limit per action',
  accountPerTransactionLimit: 'More than the limit per action for this account',
  dailyTransactionLimit: 'The daily number of actions was reached',
  dailyLimit: 'More than the remaining daily limit',
  monthlyLimit: 'More than the remaining monthly limit',
}

const APPROVED: Readonly<Record<AgentApprovalRule, string>> = {
  accountExecutionMode: 'Every action with this account needs approval',
  defaultExecutionMode: 'Every action needs approval',
  approvalThreshold: 'More than the agent may move without approval',
  walletSignature: 'The holder of the wallet has not signed',
}

/** Explains a policy's decision in a sentence. */
export function describeDecision(decision: Static<typeof AgentDecision>): string {
  const { outcome, rule, subject, left, currency, because = [] } = decision
  if (outcome === 'ALLOWED') return 'The policy allows it.'
  if (outcome === 'APPROVAL_REQUIRED') return because.map((reason) => `${APPROVED[reason]}.`).join(' ')
  const isAmount = left !== undefined && currency !== undefined && rule !== 'dailyTransactionLimit'
  const remaining = isAmount ? `: ${formatLimit(left, currency)}` : ''
  const requested = subject === undefined ? '' : `: ${subject}`
  return `${rule === undefined ? 'The policy denies it' : DENIED[rule]}${requested}${remaining}.`
}

function countActions(count: number): string {
  return count === 1 ? '1 action' : `${count.toLocaleString('en')} actions`
}

function describeCount(count: number, noun: string): string {
  if (count === 0) return `no ${noun}`
  return count === 1 ? `only 1 ${noun}` : `only ${count} ${noun}s`
}

/** Formats `a`, `a and b` or `a, b and c`. */
function joinWords(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
