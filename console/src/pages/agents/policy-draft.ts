import type {
  AgentExecutionMode,
  AgentPermission,
  AgentPolicyUpdateRequest,
} from '@countersign/contract/agents/agent-policy'
import type { Static } from 'typebox'
import { figures, smallestUnits } from '../../ui/money-format.ts'
import { decimalsOf, type Policy } from './agent.ts'

export type PolicyChange = Static<typeof AgentPolicyUpdateRequest>
type AccountRules = NonNullable<Policy['accountRestrictions']>['accountRules']

/** A policy as it is edited: amounts as typed, empty for no limit. */
export interface Draft {
  readonly permissions: readonly AgentPermission[]
  readonly mode: AgentExecutionMode
  readonly currency: string
  readonly perTransaction: string
  readonly daily: string
  readonly dailyCount: string
  readonly monthly: string
  readonly threshold: string
  readonly thresholdCurrency: string
  /** null for all accounts. */
  readonly accounts: readonly string[] | null
  readonly externalAccounts: readonly string[] | null
  readonly rules: readonly DraftRule[]
}

/** A rule for a single account. */
export interface DraftRule {
  readonly accountId: string
  readonly mode: AgentExecutionMode | ''
  readonly limit: string
}

export type DraftProblems = { readonly [Field in keyof Draft]?: string }

export function createDraft(policy: Policy): Draft {
  const { spendingLimits: limits, accountRestrictions: restrictions, approvalThresholds: thresholds } = policy
  const { currency } = limits
  const formatDraftAmount = (amount: bigint | null | undefined, code = currency) =>
    amount == null ? '' : figures({ amount, decimals: decimalsOf(code) })
  const thresholdCurrency = thresholds?.currency ?? currency
  return {
    permissions: policy.permissions,
    mode: policy.defaultExecutionMode,
    currency,
    perTransaction: formatDraftAmount(limits.perTransactionLimit),
    daily: formatDraftAmount(limits.dailyLimit),
    dailyCount: limits.dailyTransactionLimit?.toString() ?? '',
    monthly: formatDraftAmount(limits.monthlyLimit),
    threshold: formatDraftAmount(thresholds?.amount, thresholdCurrency),
    thresholdCurrency,
    accounts: restrictions?.allowedAccountIds ?? null,
    externalAccounts: restrictions?.allowedExternalAccountIds ?? null,
    rules: (restrictions?.accountRules ?? []).map(({ accountId, executionMode, perTransactionLimit }) => ({
      accountId,
      mode: executionMode ?? '',
      limit: formatDraftAmount(perTransactionLimit),
    })),
  }
}

/** Returns the invalid fields with error messages. `former` is the policy being edited. */
export function findProblems(draft: Draft, former: Policy): DraftProblems {
  const checkAmount = (typed: string, code = draft.currency) =>
    typed.trim() !== '' && smallestUnits(typed, decimalsOf(code)) === undefined
      ? `Type an amount with at most ${decimalsOf(code)} decimals, such as 250.`
      : undefined
  const hadCount = former.spendingLimits.dailyTransactionLimit !== undefined
  const problems: Record<string, string | undefined> = {
    perTransaction:
      draft.perTransaction.trim() === '' ? 'One action needs a limit.' : checkAmount(draft.perTransaction),
    daily: checkAmount(draft.daily),
    monthly: checkAmount(draft.monthly),
    threshold: checkAmount(draft.threshold, draft.thresholdCurrency),
    dailyCount: countProblem(draft.dailyCount.trim(), hadCount),
    rules: draft.rules.map(({ limit }) => checkAmount(limit)).find((one) => one !== undefined),
  }
  return Object.fromEntries(Object.entries(problems).filter(([, problem]) => problem !== undefined))
}

const COUNT_MAX = 1_000_000

function countProblem(typed: string, hadCount: boolean): string | undefined {
  if (typed === '')
    return hadCount
      ? `A limit of actions cannot be taken away again: raise it, to ${COUNT_MAX} at most.`
      : undefined
  return /^\d+$/.test(typed) && Number(typed) <= COUNT_MAX ? undefined : `Type a number up to ${COUNT_MAX}.`
}

/** Builds the policy change from a draft, which must be valid. */
export function buildChange(draft: Draft) {
  const toUnits = (typed: string, code = draft.currency) =>
    typed.trim() === '' ? null : smallestUnits(typed, decimalsOf(code))!
  const { dailyCount, threshold, thresholdCurrency } = draft
  return {
    permissions: [...draft.permissions],
    defaultExecutionMode: draft.mode,
    spendingLimits: {
      currency: draft.currency,
      perTransactionLimit: toUnits(draft.perTransaction)!,
      dailyLimit: toUnits(draft.daily),
      monthlyLimit: toUnits(draft.monthly),
      ...(dailyCount.trim() === '' ? {} : { dailyTransactionLimit: Number(dailyCount) }),
    },
    accountRestrictions: {
      allowedAccountIds: draft.accounts && [...draft.accounts],
      allowedExternalAccountIds: draft.externalAccounts && [...draft.externalAccounts],
      accountRules: draft.rules.map(({ accountId, mode, limit }) => ({
        accountId,
        ...(mode === '' ? {} : { executionMode: mode }),
        ...(limit.trim() === '' ? {} : { perTransactionLimit: toUnits(limit) }),
      })) as NonNullable<AccountRules>,
    },
    approvalThresholds:
      threshold.trim() === ''
        ? { amount: null }
        : { currency: thresholdCurrency, amount: toUnits(threshold, thresholdCurrency) },
  } satisfies PolicyChange & Policy
}
