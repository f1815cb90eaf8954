import {
  AGENT_APPROVAL_RULES,
  AGENT_DENIAL_RULES,
  AGENT_EXECUTION_MODES,
  AGENT_PERMISSIONS,
} from '@countersign/contract/agents/agent-policy'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { INT64_MAX } from '../../base/json/int64.ts'
import { decide, type Policy, type PolicyRequest, type Spending, type Usage } from './policy.ts'

const [OWN, BANK, OTHER] = ['InternalAccount:a', 'ExternalAccount:b', 'ExternalAccount:c'] as const
const SECOND = 'InternalAccount:d'
const NOTHING_USED: Usage = { dailyCount: 0, dailySpend: 0n, monthlySpend: 0n }
const POLICY: Policy = {
  permissions: [...AGENT_PERMISSIONS],
  defaultExecutionMode: 'AUTO',
  spendingLimits: { currency: 'USD', perTransactionLimit: 1_000n },
}

interface Scenario {
  readonly policy?: Partial<Policy>
  readonly limits?: Partial<Policy['spendingLimits']>
  readonly isPaused?: boolean
  readonly usage?: Partial<Usage>
  readonly request?: Partial<PolicyRequest>
  readonly spends?: Partial<Spending>
}

/** Decides a transfer, by default of 100. */
function decideScenario({ policy, limits, isPaused = false, usage, request, spends }: Scenario = {}) {
  const spendingLimits = { ...POLICY.spendingLimits, ...limits }
  const spending = { amount: 100n, thresholdAmount: 100n, needsSignature: false, ...spends }
  const policyRequest: PolicyRequest = {
    permission: 'CREATE_TRANSFERS',
    accountIds: [OWN, BANK],
    spends: spending,
    ...request,
  }
  return decide(
    { ...POLICY, spendingLimits, ...policy },
    isPaused,
    { ...NOTHING_USED, ...usage },
    policyRequest,
  )
}

const MOVED = { amount: 100n, currency: 'USD' }
const ALLOWED = { outcome: 'ALLOWED', ...MOVED }
const requireApproval = (...because: string[]) => ({ outcome: 'APPROVAL_REQUIRED', because, ...MOVED })
const restrictAccounts = (
  accountRestrictions: NonNullable<Policy['accountRestrictions']>,
  accountIds = [OWN, BANK] as PolicyRequest['accountIds'],
) => ({ policy: { accountRestrictions }, request: { accountIds } })
const buildAccountRules = (
  ...accountRules: NonNullable<Policy['accountRestrictions']>['accountRules'] & object
) => ({
  accountRestrictions: { accountRules },
})

/** Each rule: the last allowed and the first denied amount or account. */
const CASES: Readonly<Record<string, readonly [scenario: Scenario, expected: object][]>> = {
  paused: [
    [{ isPaused: false }, ALLOWED],
    [{ isPaused: true }, { outcome: 'DENIED', rule: 'paused', ...MOVED }],
  ],
  permission: [
    [{ policy: { permissions: ['CREATE_TRANSFERS'] } }, ALLOWED],
    [
      { policy: { permissions: ['EXECUTE_QUOTES', 'CREATE_QUOTES'] } },
      { rule: 'permission', subject: 'CREATE_TRANSFERS' },
    ],
    [{ policy: { permissions: [] } }, { rule: 'permission' }],
    [{ request: { permission: 'SEND_EVERYTHING' as never } }, { rule: 'permission' }],
  ],
  account: [
    [restrictAccounts({}), ALLOWED],
    [restrictAccounts({ allowedAccountIds: null }), ALLOWED],
    [restrictAccounts({ allowedAccountIds: [OWN] }), ALLOWED],
    [restrictAccounts({ allowedAccountIds: [SECOND] }), { rule: 'account', subject: OWN }],
    [restrictAccounts({ allowedAccountIds: [] }), { rule: 'account', subject: OWN }],
    [restrictAccounts({ allowedAccountIds: [OWN] }, [OWN, SECOND]), { rule: 'account', subject: SECOND }],
    // External payees have a separate rule.
    [restrictAccounts({ allowedAccountIds: [OWN] }, [OWN, null]), ALLOWED],
  ],
  externalAccount: [
    [restrictAccounts({ allowedExternalAccountIds: null }), ALLOWED],
    [restrictAccounts({ allowedExternalAccountIds: [OTHER, BANK] }), ALLOWED],
    [restrictAccounts({ allowedExternalAccountIds: [OTHER] }), { rule: 'externalAccount', subject: BANK }],
    [restrictAccounts({ allowedExternalAccountIds: [] }), { rule: 'externalAccount', subject: BANK }],
    // A pulled account counts like a payee.
    [
      restrictAccounts({ allowedExternalAccountIds: [OTHER] }, [BANK, OWN]),
      { rule: 'externalAccount', subject: BANK },
    ],
    [restrictAccounts({ allowedExternalAccountIds: [] }, [OWN, SECOND]), ALLOWED],
    [restrictAccounts({}, [OWN, null]), ALLOWED],
    [
      restrictAccounts({ allowedExternalAccountIds: [BANK] }, [OWN, null]),
      { rule: 'externalAccount', subject: 'UMA addresses' },
    ],
  ],
  conversion: [[{ spends: { amount: null } }, { outcome: 'DENIED', rule: 'conversion' }]],
  perTransactionLimit: [
    [{ limits: { perTransactionLimit: 100n } }, ALLOWED],
    [{ limits: { perTransactionLimit: 99n } }, { rule: 'perTransactionLimit', asked: 100n, left: 99n }],
    [{ limits: { perTransactionLimit: 0n } }, { rule: 'perTransactionLimit', asked: 100n, left: 0n }],
  ],
  accountPerTransactionLimit: [
    [{ policy: buildAccountRules({ accountId: BANK, perTransactionLimit: 100n }) }, ALLOWED],
    [{ policy: buildAccountRules({ accountId: OTHER, perTransactionLimit: 1n }) }, ALLOWED],
    [{ policy: buildAccountRules({ accountId: BANK, perTransactionLimit: null }) }, ALLOWED],
    [
      { policy: buildAccountRules({ accountId: OWN, perTransactionLimit: 99n }) },
      { rule: 'accountPerTransactionLimit', asked: 100n, left: 99n },
    ],
    [
      {
        policy: buildAccountRules(
          { accountId: OWN, perTransactionLimit: 98n },
          { accountId: BANK, perTransactionLimit: 97n },
        ),
      },
      { rule: 'accountPerTransactionLimit', left: 97n },
    ],
  ],
  dailyTransactionLimit: [
    [{ limits: { dailyTransactionLimit: 3 }, usage: { dailyCount: 2 } }, ALLOWED],
    [
      { limits: { dailyTransactionLimit: 3 }, usage: { dailyCount: 3 } },
      { rule: 'dailyTransactionLimit', asked: 1n, left: 0n },
    ],
    [{ limits: { dailyTransactionLimit: 0 } }, { rule: 'dailyTransactionLimit', left: 0n }],
    [{ usage: { dailyCount: 1_000_000 } }, ALLOWED],
  ],
  dailyLimit: [
    [{ limits: { dailyLimit: 300n }, usage: { dailySpend: 200n } }, ALLOWED],
    [
      { limits: { dailyLimit: 300n }, usage: { dailySpend: 201n } },
      { rule: 'dailyLimit', asked: 100n, left: 99n },
    ],
    // The limit was lowered below the current usage.
    [
      { limits: { dailyLimit: 300n }, usage: { dailySpend: 301n } },
      { rule: 'dailyLimit', asked: 100n, left: 0n },
    ],
    [{ limits: { dailyLimit: null }, usage: { dailySpend: 10n ** 15n } }, ALLOWED],
    [{ usage: { dailySpend: INT64_MAX - 100n } }, ALLOWED],
    [{ usage: { dailySpend: INT64_MAX - 99n } }, { rule: 'dailyLimit', left: 99n }],
  ],
  monthlyLimit: [
    [{ limits: { monthlyLimit: 300n }, usage: { monthlySpend: 200n } }, ALLOWED],
    [
      { limits: { monthlyLimit: 300n }, usage: { monthlySpend: 201n } },
      { rule: 'monthlyLimit', asked: 100n, left: 99n },
    ],
    [{ limits: { monthlyLimit: null }, usage: { monthlySpend: 10n ** 15n } }, ALLOWED],
    [{ usage: { monthlySpend: INT64_MAX } }, { rule: 'monthlyLimit', left: 0n }],
  ],
  accountExecutionMode: [
    [
      { policy: buildAccountRules({ accountId: BANK, executionMode: 'APPROVAL_REQUIRED' }) },
      requireApproval('accountExecutionMode'),
    ],
    [{ policy: buildAccountRules({ accountId: OTHER, executionMode: 'APPROVAL_REQUIRED' }) }, ALLOWED],
    // The stricter of two accounts.
    [
      {
        policy: buildAccountRules(
          { accountId: OWN, executionMode: 'AUTO' },
          { accountId: BANK, executionMode: 'APPROVAL_REQUIRED' },
        ),
      },
      requireApproval('accountExecutionMode'),
    ],
  ],
  defaultExecutionMode: [
    [{ policy: { defaultExecutionMode: 'APPROVAL_REQUIRED' } }, requireApproval('defaultExecutionMode')],
    // The rule of an account overrides it.
    [
      {
        policy: {
          defaultExecutionMode: 'APPROVAL_REQUIRED',
          ...buildAccountRules({ accountId: BANK, executionMode: 'AUTO' }),
        },
      },
      ALLOWED,
    ],
    [
      {
        policy: {
          defaultExecutionMode: 'APPROVAL_REQUIRED',
          ...buildAccountRules({ accountId: BANK, perTransactionLimit: 100n }),
        },
      },
      requireApproval('defaultExecutionMode'),
    ],
  ],
  approvalThreshold: [
    [{ policy: { approvalThresholds: { amount: 100n } } }, ALLOWED],
    [{ policy: { approvalThresholds: { amount: 99n } } }, requireApproval('approvalThreshold')],
    [{ policy: { approvalThresholds: { amount: null } } }, ALLOWED],
    [{ policy: { approvalThresholds: {} } }, ALLOWED],
    [
      { policy: { approvalThresholds: { amount: 99n, currency: 'EUR' } }, spends: { thresholdAmount: 90n } },
      ALLOWED,
    ],
    // An amount that cannot be compared needs approval.
    [
      { policy: { approvalThresholds: { amount: 10n ** 15n } }, spends: { thresholdAmount: null } },
      requireApproval('approvalThreshold'),
    ],
    [{ spends: { thresholdAmount: null } }, ALLOWED],
  ],
  walletSignature: [[{ spends: { needsSignature: true } }, requireApproval('walletSignature')]],
}

describe('the rules of a policy', () => {
  test('every rule of the agent policy has a test case', () => {
    expect(Object.keys(CASES)).toEqual([...AGENT_DENIAL_RULES, ...AGENT_APPROVAL_RULES])
  })

  test.each(Object.entries(CASES))('the rule %s is exact to the unit', (_, cases) => {
    for (const [scenario, expected] of cases) {
      const decision = decideScenario(scenario)
      if ('outcome' in expected) expect(decision).toEqual(expected)
      else expect(decision).toMatchObject({ outcome: 'DENIED', ...expected })
    }
  })
})

test('if several rules deny a request, the decision names the first rule in the table', () => {
  const policy: Partial<Policy> = {
    permissions: [],
    accountRestrictions: {
      allowedAccountIds: [],
      allowedExternalAccountIds: [],
      accountRules: [{ accountId: OWN, perTransactionLimit: 0n }],
    },
  }
  const payees = { accountRestrictions: { ...policy.accountRestrictions, allowedAccountIds: [OWN] } }
  const limits = { perTransactionLimit: 0n, dailyTransactionLimit: 0, dailyLimit: 0n, monthlyLimit: 0n }
  /** Each change removes the previous denial. */
  const steps: Scenario[] = [
    { policy, limits, isPaused: true },
    { policy, limits },
    { policy: { ...policy, permissions: [...AGENT_PERMISSIONS] }, limits },
    { policy: payees, limits },
    {
      policy: buildAccountRules({ accountId: OWN, perTransactionLimit: 0n }),
      limits,
      spends: { amount: null },
    },
    { policy: buildAccountRules({ accountId: OWN, perTransactionLimit: 0n }), limits },
    {
      policy: buildAccountRules({ accountId: OWN, perTransactionLimit: 0n }),
      limits: { ...limits, perTransactionLimit: 100n },
    },
    { limits: { ...limits, perTransactionLimit: 100n } },
    { limits: { dailyLimit: 0n, monthlyLimit: 0n } },
    { limits: { monthlyLimit: 0n } },
  ]
  expect(steps.map((scenario) => decideScenario(scenario).rule)).toEqual([...AGENT_DENIAL_RULES])
})

test('a decision lists all rules that require an approval', () => {
  const policy: Partial<Policy> = {
    ...buildAccountRules({ accountId: BANK, executionMode: 'APPROVAL_REQUIRED' }),
    approvalThresholds: { amount: 1n },
    defaultExecutionMode: 'APPROVAL_REQUIRED',
  }
  const spends = { needsSignature: true }
  expect(decideScenario({ policy, spends })).toEqual(
    requireApproval('accountExecutionMode', 'approvalThreshold', 'walletSignature'),
  )
  expect(decideScenario({ policy: { ...policy, accountRestrictions: {} }, spends })).toEqual(
    requireApproval('defaultExecutionMode', 'approvalThreshold', 'walletSignature'),
  )
})

test('a request that moves no money is checked for pause, permission and accounts, and never needs approval', () => {
  const quoteRequest = { permission: 'CREATE_QUOTES', accountIds: [OWN, BANK] } as const
  const zeroLimits = { perTransactionLimit: 0n, dailyTransactionLimit: 0, dailyLimit: 0n, monthlyLimit: 0n }
  const decideQuote = (scenario: Scenario) => {
    const { policy, isPaused = false } = scenario
    const spendingLimits = { ...POLICY.spendingLimits, ...zeroLimits }
    return decide({ ...POLICY, spendingLimits, ...policy }, isPaused, NOTHING_USED, quoteRequest)
  }
  expect(decideQuote({ policy: { defaultExecutionMode: 'APPROVAL_REQUIRED' } })).toEqual({
    outcome: 'ALLOWED',
  })
  expect(decideQuote({ isPaused: true })).toEqual({ outcome: 'DENIED', rule: 'paused' })
  expect(decideQuote({ policy: { permissions: [] } })).toMatchObject({ rule: 'permission' })
  expect(decideQuote({ policy: { accountRestrictions: { allowedAccountIds: [SECOND] } } })).toMatchObject({
    rule: 'account',
    subject: OWN,
  })
  expect(
    decideQuote({ policy: { accountRestrictions: { allowedExternalAccountIds: [OTHER] } } }),
  ).toMatchObject({
    rule: 'externalAccount',
    subject: BANK,
  })
})

const amount = fc.bigInt({ min: 0n, max: 400n })
const accountId = fc.constantFrom(OWN, SECOND, BANK, OTHER)
const policies: fc.Arbitrary<Policy> = fc.record(
  {
    permissions: fc.subarray([...AGENT_PERMISSIONS]),
    defaultExecutionMode: fc.constantFrom(...AGENT_EXECUTION_MODES),
    spendingLimits: fc.record(
      {
        currency: fc.constant('USD'),
        perTransactionLimit: amount,
        dailyLimit: fc.option(amount),
        monthlyLimit: fc.option(amount),
        dailyTransactionLimit: fc.nat(4),
      },
      { requiredKeys: ['currency', 'perTransactionLimit'] },
    ),
    accountRestrictions: fc.record(
      {
        allowedAccountIds: fc.option(fc.uniqueArray(fc.constantFrom(OWN, SECOND))),
        allowedExternalAccountIds: fc.option(fc.uniqueArray(fc.constantFrom(BANK, OTHER))),
        accountRules: fc.uniqueArray(
          fc.record(
            {
              accountId,
              executionMode: fc.constantFrom(...AGENT_EXECUTION_MODES),
              perTransactionLimit: fc.option(amount),
            },
            { requiredKeys: ['accountId'] },
          ),
          { selector: (rule) => rule.accountId },
        ),
      },
      { requiredKeys: [] },
    ),
    approvalThresholds: fc.record({ amount: fc.option(amount) }, { requiredKeys: [] }),
  },
  { requiredKeys: ['permissions', 'defaultExecutionMode', 'spendingLimits'] },
)
const usages: fc.Arbitrary<Usage> = fc.record({
  dailyCount: fc.nat(4),
  dailySpend: amount,
  monthlySpend: amount,
})
type Spends = PolicyRequest & { readonly spends: Spending }
const requests: fc.Arbitrary<Spends> = fc.record({
  permission: fc.constantFrom(...AGENT_PERMISSIONS),
  accountIds: fc.array(fc.option(accountId), { minLength: 2, maxLength: 2 }),
  spends: fc.record({
    amount: fc.option(amount),
    thresholdAmount: fc.option(amount),
    needsSignature: fc.boolean(),
  }),
})

/** An independent second implementation of the rules. */
function isAllowedByRules(policy: Policy, isPaused: boolean, usage: Usage, request: Spends): boolean {
  const { permissions, spendingLimits, accountRestrictions } = policy
  const { amount } = request.spends
  if (isPaused || amount === null || !permissions.includes(request.permission)) return false
  for (const id of request.accountIds) {
    const { allowedAccountIds, allowedExternalAccountIds } = accountRestrictions ?? {}
    const allowed = id === OWN || id === SECOND ? allowedAccountIds : allowedExternalAccountIds
    if (allowed && (id === null || !allowed.includes(id))) return false
    for (const rule of accountRestrictions?.accountRules ?? [])
      if (rule.accountId === id && amount > (rule.perTransactionLimit ?? amount)) return false
  }
  const { perTransactionLimit, dailyLimit, monthlyLimit, dailyTransactionLimit } = spendingLimits
  return (
    amount <= perTransactionLimit &&
    usage.dailySpend + amount <= (dailyLimit ?? INT64_MAX) &&
    usage.monthlySpend + amount <= (monthlyLimit ?? INT64_MAX) &&
    usage.dailyCount + 1 <= (dailyTransactionLimit ?? Number.MAX_SAFE_INTEGER)
  )
}

test('a policy denies a request exactly if one of its rules does, and decides the same again', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(policies, fc.boolean(), usages, requests, (policy, isPaused, usage, request) => {
      const decision = decide(policy, isPaused, usage, request)
      seen.add(decision.rule ?? decision.outcome)
      expect(decision.outcome !== 'DENIED').toBe(isAllowedByRules(policy, isPaused, usage, request))
      expect(decide(structuredClone(policy), isPaused, { ...usage }, structuredClone(request))).toEqual(
        decision,
      )
      if (decision.outcome === 'ALLOWED') expect(request.spends.needsSignature).toBe(false)
      if (decision.outcome === 'APPROVAL_REQUIRED') expect(decision.because).not.toEqual([])
    }),
    { numRuns: 3_000, seed: 20251013 },
  )
  expect(seen).toEqual(new Set(['ALLOWED', 'APPROVAL_REQUIRED', ...AGENT_DENIAL_RULES]))
})
