import type {
  AgentExecutionMode,
  AgentPermission,
  AgentPolicyUpdateRequest,
} from '@countersign/contract/agents/agent-policy'
import type { Static } from 'typebox'
import { getDecimals } from '../../ui/currency-decimals.ts'
import { formatFigures, parseSmallestUnits } from '../../ui/money-format.ts'
import type { Policy } from './agent.ts'

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
    amount == null ? '' : formatFigures({ amount, decimals: getDecimals(code) })
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
export function findProblems(draft: Draft, currentPolicy: Policy): DraftProblems {
  const checkAmount = (text: string, code = draft.currency) =>
    text.trim() !== '' && parseSmallestUnits(text, getDecimals(code)) === undefined
      ? `Enter an amount with at most ${getDecimals(code)} decimals, such as 250.`
      : undefined
  const hadCount = currentPolicy.spendingLimits.dailyTransactionLimit !== undefined
  const problems: Record<string, string | undefined> = {
    perTransaction:
      draft.perTransaction.trim() === '' ? 'One action needs a limit.' : checkAmount(draft.perTransaction),
    daily: checkAmount(draft.daily),
    monthly: checkAmount(draft.monthly),
    threshold: checkAmount(draft.threshold, draft.thresholdCurrency),
    dailyCount: findCountProblem(draft.dailyCount.trim(), hadCount),
    rules: draft.rules.map(({ limit }) => checkAmount(limit)).find((problem) => problem !== undefined),
  }
  return Object.fromEntries(Object.entries(problems).filter(([, problem]) => problem !== undefined))
}

const COUNT_MAX = 1_000_000

function findCountProblem(text: string, hadCount: boolean): string | undefined {
  if (text === '')
    return hadCount
      ? `A limit on the number of actions cannot be removed. Raise it instead, up to ${COUNT_MAX}.`
      : undefined
  return /^\d+$/.test(text) && Number(text) <= COUNT_MAX ? undefined : `Enter a number up to ${COUNT_MAX}.`
}

/** Builds the policy change from a draft, which must be valid. */
export function buildChange(draft: Draft) {
  const toUnits = (text: string, code = draft.currency) =>
    text.trim() === '' ? null : parseSmallestUnits(text, getDecimals(code))!
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
