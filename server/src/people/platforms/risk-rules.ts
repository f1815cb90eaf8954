import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { isPullingRail } from '@countersign/contract/core/rails'
import type { HoldRule, LimitRule } from '@countersign/contract/payments/risk-config'
import { createFieldError } from '../../kernel/operation/operation.ts'
import type { PlatformConfig } from './platform-config.ts'

type RiskConfig = PlatformConfig['riskConfig']

/**
 * Applies a change to the risk rules. Each list is replaced as a whole. Throws 400 naming the invalid rule.
 */
export function changeRisk(before: RiskConfig, change: Partial<RiskConfig>): RiskConfig {
  const { fundsHolds = before.fundsHolds, velocityLimits = before.velocityLimits } = change
  for (const [index, rule] of fundsHolds.entries()) checkHoldRule(rule, `riskConfig.fundsHolds.${index}`)
  const seen = new Set<string>()
  for (const [index, limit] of velocityLimits.entries()) {
    const field = `riskConfig.velocityLimits.${index}`
    checkLimit(limit, field)
    const key = `${limit.subject} ${limit.period} ${limit.currency}`
    if (seen.has(key))
      throw createFieldError(
        'INVALID_INPUT',
        field,
        `There is already a limit for ${limit.subject}, ${limit.period} and ${limit.currency}.`,
      )
    seen.add(key)
  }
  return { fundsHolds, velocityLimits }
}

function checkHoldRule({ currency, paymentRail, minAmount }: HoldRule, field: string): void {
  if (currency !== undefined) checkCurrency(currency, field)
  if (minAmount !== undefined && currency === undefined)
    throw createFieldError('INVALID_INPUT', `${field}.currency`, 'currency is required with minAmount')
  if (paymentRail !== undefined && !isPullingRail(paymentRail))
    throw createFieldError('INVALID_INPUT', `${field}.paymentRail`, `${paymentRail} does not pull money.`)
}

function checkLimit({ currency, maxCount, maxAmount }: LimitRule, field: string): void {
  checkCurrency(currency, field)
  if (maxCount === undefined && maxAmount === undefined)
    throw createFieldError('INVALID_INPUT', `${field}.maxCount`, 'A limit needs maxCount, maxAmount or both.')
}

function checkCurrency(currency: string, field: string): void {
  if (!isKnownCurrency(currency))
    throw createFieldError(
      'INVALID_CURRENCY',
      `${field}.currency`,
      `${currency} is not a supported currency.`,
    )
}
