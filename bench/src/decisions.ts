import { AGENT_PERMISSIONS } from '@countersign/contract/agents/agent-policy'
import { decide, type Policy, type PolicyRequest } from '@countersign/server/agents/policy'
import { median } from './table.ts'

export const ACCOUNT_RULES = 50
const WARM_UP = 20_000
const DECISIONS = 50_000

const ACCOUNTS = Array.from(
  { length: ACCOUNT_RULES },
  (_, n) => `ExternalAccount:0190b000-0000-7000-8000-${String(n).padStart(12, '0')}`,
)

const POLICY: Policy = {
  permissions: [...AGENT_PERMISSIONS],
  defaultExecutionMode: 'AUTO',
  spendingLimits: {
    currency: 'USD',
    perTransactionLimit: 100_000n,
    dailyLimit: 1_000_000n,
    dailyTransactionLimit: 1_000,
    monthlyLimit: 10_000_000n,
  },
  accountRestrictions: {
    allowedExternalAccountIds: ACCOUNTS,
    accountRules: ACCOUNTS.map((accountId) => ({
      accountId,
      executionMode: 'AUTO',
      perTransactionLimit: 50_000n,
    })),
  },
  approvalThresholds: { currency: 'USD', amount: 10_000n },
}

/** Uses the last accounts of the lists and is denied by no rule, so that every rule is checked completely. */
const REQUEST: PolicyRequest = {
  permission: AGENT_PERMISSIONS[AGENT_PERMISSIONS.length - 1]!,
  accountIds: ACCOUNTS.slice(-2),
  spends: { amount: 20_000n, thresholdAmount: 20_000n, needsSignature: true },
}

const USAGE = { dailyCount: 500, dailySpend: 500_000n, monthlySpend: 5_000_000n }

/** The time of one decision of a full policy, in µs: the median and the 99th percentile. */
export function decisionTimes(): { readonly median: number; readonly p99: number } {
  const times = new Float64Array(DECISIONS)
  for (let n = -WARM_UP; n < DECISIONS; n++) {
    const begun = process.hrtime.bigint()
    const { outcome } = decide(POLICY, false, USAGE, REQUEST)
    const us = Number(process.hrtime.bigint() - begun) / 1000
    if (outcome !== 'APPROVAL_REQUIRED') throw new Error(`The decision was ${outcome}`)
    if (n >= 0) times[n] = us
  }
  times.sort()
  return { median: median([...times]), p99: times[Math.floor(DECISIONS * 0.99)]! }
}
