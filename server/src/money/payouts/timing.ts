import { WEEKDAYS } from '@countersign/contract/core/formats'
import { DateTime, IANAZone } from 'luxon'
import { requireValue } from '../../base/formats/require-value.ts'
import type { ScheduleTiming } from '../../storage/rows/payment-schedule.ts'
import { isBankingDay } from '../rails/bank-holidays.ts'

/** The dates and times at which a schedule pays: pure functions of its timing. A date is `YYYY-MM-DD`. */

/** A date and its time. */
export interface PaymentDate {
  readonly date: string
  readonly at: Date
}

const FRIDAY = 5
/** No calendar is closed for this many days in a row. */
const CLOSED_DAYS_MAX = 10
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/**
 * The first date after `after` on which the schedule pays. Dates that move to one business day are one date, so that none is paid
 * twice. Undefined after the last.
 */
export function nextDate(timing: ScheduleTiming, after: string): string | undefined {
  // A date moves over closed days only, so an earlier one may still come after `after`.
  const earliest = dateOf(day(after).minus({ days: CLOSED_DAYS_MAX }))
  let from = earliest > timing.startDate ? earliest : timing.startDate
  for (;;) {
    const date = ruleDate(timing.rule, day(from))
    if (date === undefined || (timing.endDate !== undefined && dateOf(date) > timing.endDate))
      return undefined
    const moved = dateOf(toBusinessDay(timing, date))
    if (moved > after) return moved
    from = dateOf(date.plus({ days: 1 }))
  }
}

/** The first date whose time is after `now`. */
export function firstDate(timing: ScheduleTiming, now: Date): PaymentDate | undefined {
  // No clock is more than a day away from UTC.
  let before = dateOf(DateTime.fromJSDate(now, { zone: 'utc' }).minus({ days: 2 }))
  for (;;) {
    const date = nextDate(timing, before)
    if (date === undefined) return undefined
    const at = timeOn(timing, date)
    if (at > now) return { date, at }
    before = date
  }
}

/**
 * The payment time on a date. If the clock shows a time twice, the first one counts. A time that the clock
 * skips moves by the skipped duration.
 */
export function timeOn({ time, timeZone }: Pick<ScheduleTiming, 'time' | 'timeZone'>, date: string): Date {
  const shown = Date.parse(`${date}T${time}:00Z`)
  const zone = IANAZone.create(timeZone)
  const [before, after] = [zone.offset(shown - DAY_MS), zone.offset(shown + DAY_MS)]
  const found = [before, after]
    .map((offset) => ({ offset, at: shown - offset * MINUTE_MS }))
    .filter(({ offset, at }) => zone.offset(at) === offset)
    .map(({ at }) => at)
  return new Date(found.length > 0 ? Math.min(...found) : shown - before * MINUTE_MS)
}

/** The first date of a rule on or after a day. */
function ruleDate(rule: ScheduleTiming['rule'], from: DateTime): DateTime | undefined {
  switch (rule.type) {
    case 'ONCE':
      return day(rule.date) < from ? undefined : day(rule.date)
    case 'DAILY':
      return from
    case 'WEEKLY': {
      const days = rule.weekdays.map((name) => WEEKDAYS.indexOf(name) + 1)
      return from.plus({ days: Math.min(...days.map((weekday) => (weekday - from.weekday + 7) % 7)) })
    }
    case 'MONTHLY': {
      const inMonth = dayOfMonth(from, rule.day)
      return inMonth < from ? dayOfMonth(from.startOf('month').plus({ months: 1 }), rule.day) : inMonth
    }
  }
}

function dayOfMonth(month: DateTime, of: number): DateTime {
  return month.set({ day: Math.min(of, requireValue(month.daysInMonth, 'days of a month')) })
}

function toBusinessDay({ businessDays, calendar }: ScheduleTiming, date: DateTime): DateTime {
  if (businessDays === 'NONE') return date
  const days = businessDays === 'FOLLOWING' ? 1 : -1
  let moved = date
  while (!isBusinessDay(calendar, moved)) moved = moved.plus({ days })
  return moved
}

function isBusinessDay(calendar: ScheduleTiming['calendar'], date: DateTime): boolean {
  return calendar === 'WEEKDAYS' ? date.weekday <= FRIDAY : isBankingDay(calendar, date)
}

/** Dates are counted without a clock. */
function day(date: string): DateTime {
  return DateTime.fromISO(date, { zone: 'utc' })
}

function dateOf(date: DateTime): string {
  return requireValue(date.toISODate(), 'date of a valid day')
}
