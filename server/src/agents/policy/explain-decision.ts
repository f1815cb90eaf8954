import type { AgentApprovalRule, AgentDenialRule } from '@countersign/contract/agents/agent-policy'
import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { amountText } from '../../base/pricing/pricing.ts'
import type { Policy, PolicyDecision } from './policy.ts'

type Words = (decision: PolicyDecision, policy: Policy) => string

const DENIED: Readonly<Record<AgentDenialRule, Words>> = {
  paused: () => 'The agent is paused.',
  permission: ({ subject }) => `The policy does not grant ${subject}.`,
  account: ({ subject }) => `The policy does not allow the account ${subject}.`,
  externalAccount: ({ subject }) => `The policy does not allow ${subject}.`,
  conversion: () => 'No exchange rate compares the amount with the limits.',
  perTransactionLimit: ({ left, currency }) => `One action may move at most ${limitText(left, currency)}.`,
  accountPerTransactionLimit: ({ left, currency }) =>
    `One action with this account may move at most ${limitText(left, currency)}.`,
  dailyTransactionLimit: () => 'As many actions as the policy allows were made on that day.',
  dailyLimit: ({ left, currency }) => `The limit of the day leaves ${limitText(left, currency)}.`,
  monthlyLimit: ({ left, currency }) => `The limit of the month leaves ${limitText(left, currency)}.`,
}

const APPROVED: Readonly<Record<AgentApprovalRule, Words>> = {
  accountExecutionMode: () => 'Every action with this account needs approval.',
  defaultExecutionMode: () => 'Every action of this agent needs approval.',
  approvalThreshold: (_, { approvalThresholds, spendingLimits }) =>
    `More than ${limitText(approvalThresholds?.amount ?? 0n, approvalThresholds?.currency ?? spendingLimits.currency)} needs approval.`,
  walletSignature: () => 'An embedded wallet pays, and its holder has not signed.',
}

/** A policy decision as sentences for people. */
export function describeDecision(decision: PolicyDecision, policy: Policy): string {
  const { outcome, rule, because = [] } = decision
  if (outcome === 'DENIED') return rule ? DENIED[rule](decision, policy) : 'The policy denies it.'
  if (outcome === 'ALLOWED') return 'The policy allows it.'
  return because.map((one) => APPROVED[one](decision, policy)).join(' ')
}

function limitText(amount: bigint | undefined, currency: string | undefined): string {
  if (amount === undefined || currency === undefined) return 'nothing'
  return isKnownCurrency(currency) ? amountText(amount, currency) : `${amount} ${currency}`
}
