import type { AgentPolicyUpdateRequest } from '@countersign/contract/agents/agent-policy'
import { isKnownCurrency } from '@countersign/contract/core/currencies'
import type { Static } from 'typebox'
import type { Op } from '../../kernel/operation/app.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import { findCustomerAccount } from '../identity/agents.ts'
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
      await findCustomerAccount(op, customerId, id, `${path}.${list}.${index}`)
  for (const [index, { accountId }] of rules.entries()) {
    const field = `${path}.accountRules.${index}.accountId`
    if (rules.findIndex((rule) => rule.accountId === accountId) < index)
      throw createFieldError('INVALID_INPUT', field, `${field} already has a rule`)
    await findCustomerAccount(op, customerId, accountId, field)
  }
  return policy
}

/**
 * Applies a change to a policy. The properties in the change replace the previous ones, including properties
 * within groups. Errors name fields below `prefix`.
 */
export function applyPolicyChange(policy: Policy, change: PolicyChange, prefix = ''): Policy {
  checkNewCurrency(policy, change, prefix)
  const { spendingLimits, accountRestrictions, approvalThresholds, ...others } = change
  const mergeGroup = <T extends object>(
    before: T | undefined,
    after: Partial<T> | undefined,
  ): T | undefined => (before || after ? ({ ...before, ...after } as T) : undefined)
  const restrictions = mergeGroup(policy.accountRestrictions, accountRestrictions)
  const thresholds = mergeGroup(policy.approvalThresholds, approvalThresholds)
  return {
    ...policy,
    ...others,
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
    throw createFieldError(
      'INVALID_INPUT',
      `${prefix}spendingLimits.${missing}`,
      `${prefix}spendingLimits.${missing} is in ${currency}. To change the currency, also send this limit in the new currency${orNull}.`,
    )
  }
  const hasAccountLimits = policy.accountRestrictions?.accountRules?.some(
    ({ perTransactionLimit }) => (perTransactionLimit ?? null) !== null,
  )
  if (hasAccountLimits && accountRestrictions?.accountRules === undefined)
    throw createFieldError(
      'INVALID_INPUT',
      `${prefix}accountRestrictions.accountRules`,
      `${prefix}accountRestrictions.accountRules has limits in ${currency}. To change the currency, also send all rules with limits in the new currency.`,
    )
  const thresholds = policy.approvalThresholds
  const isInOldCurrency = (thresholds?.amount ?? null) !== null && thresholds?.currency === undefined
  if (
    isInOldCurrency &&
    approvalThresholds?.amount === undefined &&
    approvalThresholds?.currency === undefined
  )
    throw createFieldError(
      'INVALID_INPUT',
      `${prefix}approvalThresholds.amount`,
      `${prefix}approvalThresholds.amount is in ${currency}. To change the currency of the limits, also send an amount in the new currency, null, or approvalThresholds.currency.`,
    )
}

function checkCurrency(currency: string, field: string): void {
  if (!isKnownCurrency(currency))
    throw createFieldError('INVALID_CURRENCY', field, `${currency} is not a supported currency.`)
}
