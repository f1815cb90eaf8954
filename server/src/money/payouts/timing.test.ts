import { WEEKDAYS } from '@countersign/contract/core/formats'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { describe, expect, test } from 'vitest'
import type { ScheduleTiming } from '../../storage/rows/payment-schedule.ts'
import { isBankingDay } from '../rails/bank-holidays.ts'
import { computePaymentTime, findFirstDate, findNextDate } from './timing.ts'

const DAY_MS = 86_400_000

const buildTiming = (
  rule: ScheduleTiming['rule'],
  overrides: Partial<ScheduleTiming> = {},
): ScheduleTiming => ({
  rule,
  startDate: '2026-01-01',
  time: '09:00',
  timeZone: 'Europe/Berlin',
  businessDays: 'NONE',
  calendar: 'TARGET',
  ...overrides,
})

/** The first dates after a date. */
function listDatesAfter(timing: ScheduleTiming, after: string, max: number): string[] {
  const dates: string[] = []
  for (
    let date = findNextDate(timing, after);
    date !== undefined && dates.length < max;
    date = findNextDate(timing, date)
  )
    dates.push(date)
  return dates
}

const addDays = (date: string, days: number) =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)

/** Every date of a rule in a range, found day by day without the code under test. */
function listRuleDates(
  { rule, startDate, endDate = '9999-12-31' }: ScheduleTiming,
  from: string,
  to: string,
): string[] {
  const dates: string[] = []
  for (let date = from; date <= to; date = addDays(date, 1)) {
    if (date < startDate || date > endDate) continue
    const weekday = WEEKDAYS[(new Date(date).getUTCDay() + 6) % 7]
    const isLastOfMonth = addDays(date, 1).endsWith('-01')
    const day = Number(date.slice(8))
    const matchesRule =
      rule.type === 'DAILY' ||
      (rule.type === 'ONCE' && rule.date === date) ||
      (rule.type === 'WEEKLY' && rule.weekdays.some((name) => name === weekday)) ||
      (rule.type === 'MONTHLY' && (day === rule.day || (isLastOfMonth && day < rule.day)))
    if (matchesRule) dates.push(date)
  }
  return dates
}

function toBusinessDate({ businessDays, calendar }: ScheduleTiming, date: string): string {
  if (businessDays === 'NONE') return date
  const isOpen = (date: string) => {
    const day = DateTime.fromISO(date, { zone: 'utc' })
    return calendar === 'WEEKDAYS' ? day.weekday <= 5 : isBankingDay(calendar, day)
  }
  let to = date
  while (!isOpen(to)) to = addDays(to, businessDays === 'FOLLOWING' ? 1 : -1)
  return to
}

const aDate = fc.integer({ min: 0, max: 365 * 30 }).map((days) => addDays('2024-01-01', days))
const aRule: fc.Arbitrary<ScheduleTiming['rule']> = fc.oneof(
  aDate.map((date) => ({ type: 'ONCE' as const, date })),
  fc.constant({ type: 'DAILY' as const }),
  fc
    .uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 })
    .map((weekdays) => ({ type: 'WEEKLY' as const, weekdays })),
  fc.integer({ min: 1, max: 31 }).map((day) => ({ type: 'MONTHLY' as const, day })),
)
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Asia/Kathmandu',
]
const aTiming: fc.Arbitrary<ScheduleTiming> = fc.record({
  rule: aRule,
  startDate: aDate,
  time: fc
    .tuple(fc.nat(23), fc.nat(59))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':')),
  timeZone: fc.constantFrom(...ZONES),
  businessDays: fc.constantFrom('NONE', 'FOLLOWING', 'PRECEDING'),
  calendar: fc.constantFrom('TARGET', 'FEDERAL_RESERVE', 'WEEKDAYS'),
})

type Case = readonly [string, Partial<ScheduleTiming>, ScheduleTiming['rule'], readonly string[]]

const CASES: readonly Case[] = [
  [
    'Good Friday to Easter Monday',
    { businessDays: 'FOLLOWING' },
    { type: 'ONCE', date: '2026-04-03' },
    ['2026-04-07'],
  ],
  ['before Good Friday', { businessDays: 'PRECEDING' }, { type: 'ONCE', date: '2026-04-05' }, ['2026-04-02']],
  ['29 February', {}, { type: 'ONCE', date: '2028-02-29' }, ['2028-02-29']],
  [
    'Independence Day on a Saturday',
    { businessDays: 'FOLLOWING', calendar: 'FEDERAL_RESERVE' },
    { type: 'MONTHLY', day: 4 },
    ['2026-02-04', '2026-03-04', '2026-04-06', '2026-05-04', '2026-06-04', '2026-07-06'],
  ],
  [
    'a weekend that moves to Monday is one payment',
    { businessDays: 'FOLLOWING', calendar: 'WEEKDAYS', startDate: '2026-05-01', endDate: '2026-05-05' },
    { type: 'DAILY' },
    ['2026-05-01', '2026-05-04', '2026-05-05'],
  ],
]

describe('the dates of a schedule', () => {
  test("a schedule's dates are the rule's dates moved to business days, each once and in order", {
    tags: 'long',
  }, () => {
    fc.assert(
      fc.property(
        aTiming,
        aDate,
        fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined }),
        (timing, after, length) => {
          const bounded =
            length === undefined ? timing : { ...timing, endDate: addDays(timing.startDate, length) }
          const until = addDays(after, 400)
          const allDates = listRuleDates(bounded, addDays(after, -30), addDays(until, 30)).map((date) =>
            toBusinessDate(bounded, date),
          )
          const expected = [...new Set(allDates)].filter((date) => date > after && date <= until).slice(0, 40)
          const found = listDatesAfter(bounded, after, 40).filter((date) => date <= until)
          expect(found).toEqual(expected)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('a monthly schedule pays once in every month, including months of 28 to 30 days', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 31 }), aDate, (day, after) => {
        const dates = listDatesAfter(
          buildTiming({ type: 'MONTHLY', day }, { startDate: '2024-01-01' }),
          after,
          50,
        )
        const months = dates.map((date) => date.slice(0, 7))
        expect(new Set(months).size).toBe(50)
        for (const [index, date] of dates.entries()) {
          const last = new Date(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)), 0)).getUTCDate()
          expect(Number(date.slice(8)), `${index}`).toBe(Math.min(day, last))
        }
      }),
    )
  })

  test('a schedule on day 31 that moves back pays on the last TARGET business day of each month', () => {
    const timing = buildTiming({ type: 'MONTHLY', day: 31 }, { businessDays: 'PRECEDING' })
    expect(listDatesAfter(timing, '2026-01-01', 12)).toEqual([
      '2026-01-30',
      '2026-02-27',
      '2026-03-31',
      '2026-04-30',
      '2026-05-29',
      '2026-06-30',
      '2026-07-31',
      '2026-08-31',
      '2026-09-30',
      '2026-10-30',
      '2026-11-30',
      '2026-12-31',
    ])
  })

  test.each(CASES)('a schedule pays on the expected dates: %s', (_, overrides, rule, dates) => {
    const timing = buildTiming(rule, overrides)
    expect(listDatesAfter(timing, '2026-01-31', dates.length)).toEqual(dates)
  })
})

describe('the time of a date', () => {
  const formatTimeOn = (timeZone: string, time: string, date: string) =>
    computePaymentTime({ timeZone, time }, date).toISOString()

  test('a payment keeps its local time across a daylight saving change', () => {
    expect(formatTimeOn('Europe/Berlin', '09:00', '2026-03-28')).toBe('2026-03-28T08:00:00.000Z')
    expect(formatTimeOn('Europe/Berlin', '09:00', '2026-03-29')).toBe('2026-03-29T07:00:00.000Z')
    expect(formatTimeOn('America/New_York', '09:00', '2026-11-01')).toBe('2026-11-01T14:00:00.000Z')
  })

  test('a payment whose local time is skipped is later by the skipped duration', () => {
    expect(formatTimeOn('Europe/Berlin', '02:30', '2026-03-29')).toBe('2026-03-29T01:30:00.000Z')
    expect(formatTimeOn('America/Havana', '00:00', '2026-03-08')).toBe('2026-03-08T05:00:00.000Z')
  })

  test('a payment whose local time occurs twice is made at the first occurrence', () => {
    expect(formatTimeOn('Europe/Berlin', '02:30', '2026-10-25')).toBe('2026-10-25T00:30:00.000Z')
    expect(formatTimeOn('America/Havana', '00:30', '2026-11-01')).toBe('2026-11-01T04:30:00.000Z')
  })

  test("payment times match the zone's clock and follow the order of their dates", () => {
    fc.assert(
      fc.property(aTiming, aDate, (timing, date) => {
        const [here, next] = [computePaymentTime(timing, date), computePaymentTime(timing, addDays(date, 1))]
        const shown = DateTime.fromJSDate(here, { zone: timing.timeZone })
        const minutes =
          (Date.parse(`${date}T${timing.time}Z`) - Date.parse(shown.toFormat("yyyy-MM-dd'T'HH:mm'Z'"))) /
          60_000
        // A skipped time is later by at most one hour.
        expect(-minutes).toBeGreaterThanOrEqual(0)
        expect(-minutes).toBeLessThanOrEqual(60)
        expect(next.getTime()).toBeGreaterThan(here.getTime())
      }),
    )
  })

  test('the first payment date is the earliest date whose time is in the future', { tags: 'long' }, () => {
    fc.assert(
      fc.property(aTiming, aDate, fc.nat(DAY_MS), (timing, day, ms) => {
        const now = new Date(Date.parse(day) + ms)
        const first = findFirstDate(timing, now)
        const allDates = listDatesAfter(timing, addDays(day, -20), 80).filter(
          (date) => computePaymentTime(timing, date) > now,
        )
        expect(first?.date).toBe(allDates[0])
        if (first) expect(first.at > now).toBe(true)
      }),
    )
  })
})
