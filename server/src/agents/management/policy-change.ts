import type { AgentPolicyUpdateRequest } from '@countersign/contract/agents/agent-policy'
import { isKnownCurrency } from '@countersign/contract/core/currencies'
import type { Static } from 'typebox'
import type { Op } from '../../kernel/operation/app.ts'
import { fieldError } from '../../kernel/operation/operation.ts'
import { findAccountOf } from '../identity/agents.ts'
import type { Policy } from '../policy/policy.ts'

type PolicyChange = Static<typeof AgentPolicyUpdateRequest>

/**
 * Checks that a policy makes sense on this platform. Errors name the field below `prefix`. Throws 400
 * `INVALID_CURRENCY`, `INVALID_INPUT`, or 404 `ACCOUNT_NOT_FOUND` for another customer's account.
 */
export async function checkPolicy(
  op: Op,
  customerId: string,
  policy: Policy,
  prefix: string,
): Promise<Policy> {
  const { spendingLimits, approvalThresholds, accountRestrictions } = policy
  checkCurrency(spendingLimits.currency, `${prefix}spendingLimits.currency`)
  if (approvalThresholds?.currency !== undefined)
    checkCurrency(approvalThresholds.currency, `${prefix}approvalThresholds.currency`)
  const path = `${prefix}accountRestrictions`
  const rules = accountRestrictions?.accountRules ?? []
  for (const list of ['allowedAccountIds', 'allowedExternalAccountIds'] as const)
    for (const [index, id] of (accountRestrictions?.[list] ?? []).entries())
      await findAccountOf(op, customerId, id, `${path}.${list}.${index}`)
  for (const [index, { accountId }] of rules.entries()) {
    const field = `${path}.accountRules.${index}.accountId`
    if (rules.findIndex((rule) => rule.accountId === accountId) < index)
      throw fieldError('INVALID_INPUT', field, `${field} already has a rule`)
    await findAccountOf(op, customerId, accountId, field)
  }
  return policy
}

/**
 * Applies a change to a policy. Properties that are given replace the previous ones, including those within
 * groups. Errors name fields below `prefix`.
 */
export function applyPolicyChange(policy: Policy, change: PolicyChange, prefix = ''): Policy {
  checkNewCurrency(policy, change, prefix)
  const { spendingLimits, accountRestrictions, approvalThresholds, ...rest } = change
  const mergeGroup = <T extends object>(
    before: T | undefined,
    after: Partial<T> | undefined,
  ): T | undefined => (before || after ? ({ ...before, ...after } as T) : undefined)
  const restrictions = mergeGroup(policy.accountRestrictions, accountRestrictions)
  const thresholds = mergeGroup(policy.approvalThresholds, approvalThresholds)
  return {
    ...policy,
    ...rest,
    spendingLimits: { ...policy.spendingLimits, ...spendingLimits },
    ...(restrictions ? { accountRestrictions: restrictions } : {}),
    ...(thresholds ? { approvalThresholds: thresholds } : {}),
  }
}

/** A new currency changes the meaning of every limit, so all limits must be set with it. */
function checkNewCurrency(
  policy: Policy,
  { spendingLimits, accountRestrictions, approvalThresholds }: PolicyChange,
  prefix: string,
): void {
  const { currency } = policy.spendingLimits
  if (spendingLimits?.currency === undefined || spendingLimits.currency === currency) return
  const missing = (['perTransactionLimit', 'dailyLimit', 'monthlyLimit'] as const).find(
    (limit) => (policy.spendingLimits[limit] ?? null) !== null && spendingLimits[limit] === undefined,
  )
  if (missing) {
    const orNull = missing === 'perTransactionLimit' ? '' : ', or null'
    throw fieldError(
      'INVALID_INPUT',
      `${prefix}spendingLimits.${missing}`,
      `${prefix}spendingLimits.${missing} is in ${currency}: to change the currency, give this limit in the new one${orNull}`,
    )
  }
  const hasAccountLimits = policy.accountRestrictions?.accountRules?.some(
    ({ perTransactionLimit }) => (perTransactionLimit ?? null) !== null,
  )
  if (hasAccountLimits && accountRestrictions?.accountRules === undefined)
    throw fieldError(
      'INVALID_INPUT',
      `${prefix}accountRestrictions.accountRules`,
      `${prefix}accountRestrictions.accountRules has limits in ${currency}: to change the currency, give all rules again with limits in the new one`,
    )
  const thresholds = policy.approvalThresholds
  const isBound = (thresholds?.amount ?? null) !== null && thresholds?.currency === undefined
  if (isBound && approvalThresholds?.amount === undefined && approvalThresholds?.currency === undefined)
    throw fieldError(
      'INVALID_INPUT',
      `${prefix}approvalThresholds.amount`,
      `${prefix}approvalThresholds.amount is in ${currency}: to change the currency of the limits, give an amount in the new one, null, or approvalThresholds.currency`,
    )
}

function checkCurrency(currency: string, field: string): void {
  if (!isKnownCurrency(currency))
    throw fieldError('INVALID_CURRENCY', field, `${field}: ${currency} is not a supported currency`)
}
