import type {
  AgentApprovalRule,
  AgentDecision,
  AgentDenialRule,
  AgentPermission,
  AgentPolicy,
} from '@countersign/contract/agents/agent-policy'
import { keysOf } from '@countersign/contract/core/objects'
import type { Static } from 'typebox'
import { INT64_MAX } from '../../base/json/int64.ts'

/**
 * Decides what an agent may do: a pure function over two tables of rules, which denies anything that is not
 * clearly allowed. Amounts are in the smallest unit of the limits' currency, converted at the current rate.
 */

export type Policy = Static<typeof AgentPolicy>

/** A request of an agent. */
export interface PolicyRequest {
  readonly permission: AgentPermission
  /** Additional permissions that the request needs. */
  readonly alsoNeeds?: readonly AgentPermission[]
  /** The ids of all accounts involved; null is an UMA address. */
  readonly accountIds: readonly (string | null)[]
  /** The amounts, if the request moves money. */
  readonly spends?: Spending
}

export interface Spending {
  /** In the currency of the limits; null without an exchange rate. */
  readonly amount: bigint | null
  /** In the currency of the approval threshold; null without an exchange rate. */
  readonly thresholdAmount: bigint | null
  /** True if the request spends money of an embedded wallet whose holder has not signed. */
  readonly needsSignature: boolean
}

/** Current usage of the limits, including the amounts of actions that wait for approval. */
export interface Usage {
  readonly dailyCount: number
  readonly dailySpend: bigint
  readonly monthlySpend: bigint
}

export type PolicyDecision = Static<typeof AgentDecision>

interface PolicyInput {
  readonly policy: Policy
  readonly isPaused: boolean
  readonly usage: Usage
  readonly request: PolicyRequest
}

/**
 * The subject of a denial: the permission or account, or the requested and the remaining amount. Undefined if
 * the rule does not deny.
 */
type Denial = Pick<PolicyDecision, 'subject' | 'asked' | 'left'> | undefined

type DenialRule = (input: PolicyInput) => Denial

/** Evaluated in the order of the table. The first rule that denies decides. */
const DENIALS: Readonly<Record<AgentDenialRule, DenialRule>> = {
  paused: ({ isPaused }) => (isPaused ? {} : undefined),
  permission: ({ policy, request: { permission, alsoNeeds = [] } }) => {
    const missing = [permission, ...alsoNeeds].find((needed) => !policy.permissions.includes(needed))
    return missing === undefined ? undefined : { subject: missing }
  },
  account: ({ policy, request }) => {
    const allowed = policy.accountRestrictions?.allowedAccountIds
    if (!allowed) return undefined
    const forbiddenId = request.accountIds.find(
      (id) => id !== null && !isExternal(id) && !allowed.includes(id),
    )
    return forbiddenId == null ? undefined : { subject: forbiddenId }
  },
  externalAccount: ({ policy, request }) => {
    const allowed = policy.accountRestrictions?.allowedExternalAccountIds
    if (!allowed) return undefined
    const forbiddenId = request.accountIds.find(
      (id) => id === null || (isExternal(id) && !allowed.includes(id)),
    )
    return forbiddenId === undefined ? undefined : { subject: forbiddenId ?? 'UMA addresses' }
  },
  conversion: ({ request }) => (request.spends && request.spends.amount === null ? {} : undefined),
  perTransactionLimit: ({ policy, request }) =>
    denyAboveLimit(request, policy.spendingLimits.perTransactionLimit),
  accountPerTransactionLimit: (input) => {
    const limits = listAccountRules(input).flatMap(({ perTransactionLimit }) => perTransactionLimit ?? [])
    return limits.length === 0 ? undefined : denyAboveLimit(input.request, findSmallest(limits))
  },
  dailyTransactionLimit: ({ policy, usage, request }) => {
    const limit = policy.spendingLimits.dailyTransactionLimit
    if (!request.spends || limit === undefined || usage.dailyCount < limit) return undefined
    return { asked: 1n, left: 0n }
  },
  dailyLimit: ({ policy, usage, request }) =>
    denyAboveBudget(request, usage.dailySpend, policy.spendingLimits.dailyLimit),
  monthlyLimit: ({ policy, usage, request }) =>
    denyAboveBudget(request, usage.monthlySpend, policy.spendingLimits.monthlyLimit),
}

/** Unlike denials, all matching rules are reported. */
const APPROVALS: Readonly<Record<AgentApprovalRule, (input: PolicyInput, spends: Spending) => boolean>> = {
  accountExecutionMode: (input) => listExecutionModes(input).includes('APPROVAL_REQUIRED'),
  // The rule of an account overrides the default mode.
  defaultExecutionMode: (input) =>
    input.policy.defaultExecutionMode === 'APPROVAL_REQUIRED' && listExecutionModes(input).length === 0,
  approvalThreshold: ({ policy }, { thresholdAmount }) => {
    const threshold = policy.approvalThresholds?.amount ?? null
    // An amount that cannot be compared needs approval.
    return threshold !== null && (thresholdAmount === null || thresholdAmount > threshold)
  },
  walletSignature: (_, { needsSignature }) => needsSignature,
}

/** Returns the same decision for the same arguments, so that a stored decision can be verified. */
export function decide(
  policy: Policy,
  isPaused: boolean,
  usage: Usage,
  request: PolicyRequest,
): PolicyDecision {
  const input: PolicyInput = { policy, isPaused, usage, request }
  const { spends } = request
  const movedAmount =
    spends && spends.amount !== null
      ? { amount: spends.amount, currency: policy.spendingLimits.currency }
      : {}
  for (const rule of keysOf(DENIALS)) {
    const denial = DENIALS[rule](input)
    if (denial) return { outcome: 'DENIED', rule, ...denial, ...movedAmount }
  }
  // A request that moves no money needs no approval.
  if (!spends) return { outcome: 'ALLOWED' }
  const because = keysOf(APPROVALS).filter((rule) => APPROVALS[rule](input, spends))
  return because.length === 0
    ? { outcome: 'ALLOWED', ...movedAmount }
    : { outcome: 'APPROVAL_REQUIRED', because, ...movedAmount }
}

function isExternal(accountId: string): boolean {
  return accountId.startsWith('ExternalAccount:')
}

function listAccountRules({ policy, request }: PolicyInput) {
  const rules = policy.accountRestrictions?.accountRules ?? []
  return rules.filter(({ accountId }) => request.accountIds.includes(accountId))
}

function listExecutionModes(input: PolicyInput) {
  return listAccountRules(input).flatMap(({ executionMode }) => executionMode ?? [])
}

function denyAboveLimit({ spends }: PolicyRequest, limit: bigint): Denial {
  const amount = spends?.amount ?? 0n
  return amount > limit ? { asked: amount, left: limit } : undefined
}

/** Without a limit, the sum must still fit the 64-bit integer of the usage row. */
function denyAboveBudget({ spends }: PolicyRequest, spent: bigint, limit: bigint | null | undefined): Denial {
  const amount = spends?.amount ?? 0n
  const left = (limit ?? INT64_MAX) - spent
  return amount > left ? { asked: amount, left: left > 0n ? left : 0n } : undefined
}

function findSmallest(amounts: readonly bigint[]): bigint {
  return amounts.reduce((min, amount) => (amount < min ? amount : min))
}
