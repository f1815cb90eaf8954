import { WEEKDAYS } from '@countersign/contract/core/formats'
import { DateTime, IANAZone } from 'luxon'
import { requireValue } from '../../base/formats/require-value.ts'
import type { ScheduleTiming } from '../../storage/rows/payment-schedule.ts'
import { isBankingDay } from '../rails/bank-holidays.ts'

/** Computes when a schedule pays. Pure functions of its timing; dates are `YYYY-MM-DD`. */

/** A date of payment, and its exact time. */
export interface PaymentDate {
  readonly date: string
  readonly at: Date
}

const FRIDAY = 5
/** No calendar is closed for more consecutive days than this. */
const CLOSED_DAYS_MAX = 10
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/**
 * The first date after `after` on which the schedule pays; undefined after the last one. Dates that move to
 * the same business day count as one date, so that it is not paid twice.
 */
export function findNextDate(timing: ScheduleTiming, after: string): string | undefined {
  // A date moves only past closed days, so only dates up to this many days before `after` can move beyond it.
  const earliest = formatDate(parseDate(after).minus({ days: CLOSED_DAYS_MAX }))
  let from = earliest > timing.startDate ? earliest : timing.startDate
  for (;;) {
    const date = findRuleDate(timing.rule, parseDate(from))
    if (date === undefined || (timing.endDate !== undefined && formatDate(date) > timing.endDate))
      return undefined
    const businessDate = formatDate(toBusinessDay(timing, date))
    if (businessDate > after) return businessDate
    from = formatDate(date.plus({ days: 1 }))
  }
}

/** The first date of payment whose time is after `now`. */
export function findFirstDate(timing: ScheduleTiming, now: Date): PaymentDate | undefined {
  // No time zone is more than a day away from UTC.
  let before = formatDate(DateTime.fromJSDate(now, { zone: 'utc' }).minus({ days: 2 }))
  for (;;) {
    const date = findNextDate(timing, before)
    if (date === undefined) return undefined
    const at = computePaymentTime(timing, date)
    if (at > now) return { date, at }
    before = date
  }
}

/**
 * The time of payment on a date. If a clock change repeats the time, the first occurrence counts. If a clock
 * change skips it, the payment is later by the skipped duration.
 */
export function computePaymentTime(
  { time, timeZone }: Pick<ScheduleTiming, 'time' | 'timeZone'>,
  date: string,
): Date {
  const localMs = Date.parse(`${date}T${time}:00Z`)
  const zone = IANAZone.create(timeZone)
  const [before, after] = [zone.offset(localMs - DAY_MS), zone.offset(localMs + DAY_MS)]
  const candidates = [before, after]
    .map((offset) => ({ offset, at: localMs - offset * MINUTE_MS }))
    .filter(({ offset, at }) => zone.offset(at) === offset)
    .map(({ at }) => at)
  return new Date(candidates.length > 0 ? Math.min(...candidates) : localMs - before * MINUTE_MS)
}

/** The first date on or after `from` that matches a rule. */
function findRuleDate(rule: ScheduleTiming['rule'], from: DateTime): DateTime | undefined {
  switch (rule.type) {
    case 'ONCE':
      return parseDate(rule.date) < from ? undefined : parseDate(rule.date)
    case 'DAILY':
      return from
    case 'WEEKLY': {
      const days = rule.weekdays.map((name) => WEEKDAYS.indexOf(name) + 1)
      return from.plus({ days: Math.min(...days.map((weekday) => (weekday - from.weekday + 7) % 7)) })
    }
    case 'MONTHLY': {
      const inMonth = toDayOfMonth(from, rule.day)
      return inMonth < from ? toDayOfMonth(from.startOf('month').plus({ months: 1 }), rule.day) : inMonth
    }
  }
}

function toDayOfMonth(month: DateTime, day: number): DateTime {
  return month.set({ day: Math.min(day, requireValue(month.daysInMonth, 'days of a month')) })
}

function toBusinessDay({ businessDays, calendar }: ScheduleTiming, date: DateTime): DateTime {
  if (businessDays === 'NONE') return date
  const days = businessDays === 'FOLLOWING' ? 1 : -1
  let businessDate = date
  while (!isBusinessDay(calendar, businessDate)) businessDate = businessDate.plus({ days })
  return businessDate
}

function isBusinessDay(calendar: ScheduleTiming['calendar'], date: DateTime): boolean {
  return calendar === 'WEEKDAYS' ? date.weekday <= FRIDAY : isBankingDay(calendar, date)
}

/** Dates are computed in UTC, which has no clock changes. */
function parseDate(date: string): DateTime {
  return DateTime.fromISO(date, { zone: 'utc' })
}

function formatDate(date: DateTime): string {
  return requireValue(date.toISODate(), 'date of a valid day')
}
