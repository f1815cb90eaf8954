import { isKnownCurrency, type KnownCurrency } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import type { PaymentRailName } from '@countersign/contract/core/rails'
import type { HoldRule } from '@countersign/contract/payments/risk-config'
import { DateTime } from 'luxon'
import { formatCurrencyAmount } from '../../base/pricing/pricing.ts'
import { BANK_TIME_ZONES, type BankCalendar, isBankingDay } from './bank-holidays.ts'

/** The properties of a pull that the rules check. */
export interface Pulled {
  readonly currency: KnownCurrency
  /** In the smallest unit. */
  readonly amount: bigint
  readonly paymentRail: string | undefined
  /** Full days since the customer was created; undefined if the platform pulls for itself. */
  readonly customerAgeDays: number | undefined
}

/**
 * Chooses the rule that holds this money. If several rules apply, the rule with the most banking days wins.
 */
export function chooseHoldRule(rules: readonly HoldRule[], pulled: Pulled): HoldRule | undefined {
  return rules
    .filter((rule) => appliesTo(rule, pulled))
    .reduce<HoldRule | undefined>(
      (longest, rule) => (longest && longest.bankingDays >= rule.bankingDays ? longest : rule),
      undefined,
    )
}

function appliesTo(rule: HoldRule, { currency, amount, paymentRail, customerAgeDays }: Pulled): boolean {
  const { customerAgeDaysMax: ageMax, minAmount } = rule
  return (
    (rule.currency === undefined || rule.currency === currency) &&
    (rule.paymentRail === undefined || rule.paymentRail === paymentRail) &&
    (minAmount === undefined || amount >= minAmount) &&
    (ageMax === undefined || (customerAgeDays !== undefined && customerAgeDays <= ageMax))
  )
}

/** The settlement system of each currency. For all others, banking days are Monday to Friday in UTC. */
const CALENDARS: { readonly [Code in KnownCurrency]?: BankCalendar } = {
  USD: 'FEDERAL_RESERVE',
  EUR: 'TARGET',
}

const FRIDAY = 5

/**
 * The release time of money that arrives now: the end of the last of `bankingDays` full banking days after
 * the day of arrival. Days follow the calendar and time zone of the currency's settlement system.
 */
export function computeReleaseTime(currency: KnownCurrency, bankingDays: number, now: Date): Date {
  const calendar = CALENDARS[currency]
  const timeZone = calendar === undefined ? 'utc' : BANK_TIME_ZONES[calendar]
  let day = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day')
  for (let left = bankingDays; left > 0; ) {
    day = day.plus({ days: 1 })
    if (calendar === undefined ? day.weekday <= FRIDAY : isBankingDay(calendar, day)) left -= 1
  }
  return day.plus({ days: 1 }).toJSDate()
}

export function formatHoldReason({
  bankingDays,
  currency,
  paymentRail,
  minAmount,
  ...rule
}: HoldRule): string {
  const { customerAgeDaysMax: age } = rule
  const parts = [
    'Pulled money',
    currency === undefined ? undefined : `in ${currency}`,
    paymentRail === undefined ? undefined : `by ${paymentRail}`,
    minAmount === undefined || currency === undefined || !isKnownCurrency(currency)
      ? undefined
      : `of ${formatCurrencyAmount(minAmount, currency)} or more`,
    age === undefined ? undefined : `for customers at most ${formatDays(age)} old`,
    `is held for ${bankingDays} banking ${bankingDays === 1 ? 'day' : 'days'}.`,
  ]
  return parts.filter((part) => part !== undefined).join(' ')
}

function formatDays(count: number): string {
  return `${count} ${count === 1 ? 'day' : 'days'}`
}

/** Decodes a stored rule. The database returns small amounts as numbers. */
export function readHoldRule(rule: {
  readonly bankingDays: number
  readonly currency?: string
  readonly paymentRail?: PaymentRailName
  readonly minAmount?: number | bigint
  readonly customerAgeDaysMax?: number
}): HoldRule {
  const { minAmount, ...others } = rule
  return { ...others, ...present({ minAmount: minAmount === undefined ? undefined : BigInt(minAmount) }) }
}
