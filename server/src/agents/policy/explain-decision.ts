import type { AgentApprovalRule, AgentDenialRule } from '@countersign/contract/agents/agent-policy'
import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { formatCurrencyAmount } from '../../base/pricing/pricing.ts'
import type { Policy, PolicyDecision } from './policy.ts'

type DescribeRule = (decision: PolicyDecision, policy: Policy) => string

const DENIAL_SENTENCES: Readonly<Record<AgentDenialRule, DescribeRule>> = {
  paused: () => 'The agent is paused.',
  permission: ({ subject }) => `The policy does not grant ${subject}.`,
  account: ({ subject }) => `The policy does not allow the account ${subject}.`,
  externalAccount: ({ subject }) => `The policy does not allow ${subject}.`,
  conversion: () => 'No exchange rate is available to compare the amount with the limits.',
  perTransactionLimit: ({ left, currency }) => `One action can move at most ${formatLimit(left, currency)}.`,
  accountPerTransactionLimit: ({ left, currency }) =>
    `One action with this account can move at most ${formatLimit(left, currency)}.`,
  dailyTransactionLimit: () => 'The agent had already made as many actions that day as the policy allows.',
  dailyLimit: ({ left, currency }) => `The daily limit leaves ${formatLimit(left, currency)}.`,
  monthlyLimit: ({ left, currency }) => `The monthly limit leaves ${formatLimit(left, currency)}.`,
}

const APPROVAL_SENTENCES: Readonly<Record<AgentApprovalRule, DescribeRule>> = {
  accountExecutionMode: () => 'Every action with this account needs approval.',
  defaultExecutionMode: () => 'Every action of this agent needs approval.',
  approvalThreshold: (_, { approvalThresholds, spendingLimits }) =>
    `More than ${formatLimit(approvalThresholds?.amount ?? 0n, approvalThresholds?.currency ?? spendingLimits.currency)} needs approval.`,
  walletSignature: () => 'An embedded wallet pays, and its holder has not signed.',
}

/** Describes a policy decision in sentences for people. */
export function describeDecision(decision: PolicyDecision, policy: Policy): string {
  const { outcome, rule, because = [] } = decision
  if (outcome === 'DENIED') return rule ? DENIAL_SENTENCES[rule](decision, policy) : 'The policy denies it.'
  if (outcome === 'ALLOWED') return 'The policy allows it.'
  return because.map((approvalRule) => APPROVAL_SENTENCES[approvalRule](decision, policy)).join(' ')
}

/** Formats an amount, such as `5.00 USD`. */
export function formatLimit(amount: bigint | undefined, currency: string | undefined): string {
  if (amount === undefined || currency === undefined) return 'nothing'
  return isKnownCurrency(currency) ? formatCurrencyAmount(amount, currency) : `${amount} ${currency}`
}
