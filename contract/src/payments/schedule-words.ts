import type { Static } from 'typebox'
import type { PaymentRuleValue, PaymentSchedule } from './payment-schedules.ts'

/** The terms that determine when a schedule pays. */
export type ScheduleTerms = Pick<
  Static<typeof PaymentSchedule>,
  'rule' | 'startDate' | 'endDate' | 'count' | 'time' | 'timeZone' | 'businessDays' | 'calendar'
>

const LAST_DAY = 31

const WEEKDAY_WORDS = {
  MON: 'Monday',
  TUE: 'Tuesday',
  WED: 'Wednesday',
  THU: 'Thursday',
  FRI: 'Friday',
  SAT: 'Saturday',
  SUN: 'Sunday',
} as const

const MOVED_WORDS = {
  NONE: '',
  FOLLOWING: ', else on the next business day',
  PRECEDING: ', else on the business day before',
} as const

const CALENDAR_WORDS = {
  TARGET: 'TARGET',
  FEDERAL_RESERVE: 'the Federal Reserve',
  WEEKDAYS: 'Monday to Friday',
} as const

/**
 * Describes when a schedule pays: "Monthly on the last day, else on the business day before (TARGET), at
 * 09:00 Europe/Berlin".
 */
export function describeSchedule(terms: ScheduleTerms): string {
  const { rule, businessDays, calendar, time, timeZone, startDate, endDate, count } = terms
  const isOnce = rule.type === 'ONCE'
  return [
    `${describeRule(rule)}${MOVED_WORDS[businessDays]}${businessDays === 'NONE' ? '' : ` (${CALENDAR_WORDS[calendar]})`}`,
    `at ${time} ${timeZone}`,
    ...(startDate === undefined || isOnce ? [] : [`from ${startDate}`]),
    ...(endDate === undefined ? [] : [`until ${endDate}`]),
    ...(count === undefined ? [] : [count === 1 ? 'one payment' : `${count} payments`]),
  ].join(', ')
}

function describeRule(rule: PaymentRuleValue): string {
  switch (rule.type) {
    case 'ONCE':
      return `Once on ${rule.date}`
    case 'DAILY':
      return 'Daily'
    case 'WEEKLY':
      return `Weekly on ${rule.weekdays.map((name) => WEEKDAY_WORDS[name]).join(', ')}`
    case 'MONTHLY':
      return rule.day === LAST_DAY ? 'Monthly on the last day' : `Monthly on day ${rule.day}`
  }
}
