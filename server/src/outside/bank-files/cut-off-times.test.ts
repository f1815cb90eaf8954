import { expect, test } from 'vitest'
import {
  effectiveDate,
  effectiveDateOfQueued,
  executionDate,
  formatBankTime,
  isCollectionDue,
  networkDate,
  sameDayOf,
  settledDate,
  settlesAt,
} from './cut-off-times.ts'

const sepa = { format: { type: 'SEPA' } } as const
const ach = { format: { type: 'ACH' } } as const
const hours = {
  timeZone: 'Europe/Berlin',
  days: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
  opensAt: '08:00',
  cutOff: '16:30',
} as const
const weekdays = { ...hours, days: [...hours.days], holidays: ['2026-04-07'] }

test.each([
  ['on a banking day', '2026-04-02T21:59:00Z', '2026-04-02'],
  ['after midnight in Berlin, before it in London', '2026-04-01T22:30:00Z', '2026-04-02'],
  ['on Good Friday', '2026-04-03T08:00:00Z', '2026-04-07'],
  ['on Labour Day', '2026-05-01T08:00:00Z', '2026-05-04'],
  ['on the second day of Christmas', '2028-12-26T08:00:00Z', '2028-12-27'],
])('without hours a SEPA file that is made %s is executed on the next day of TARGET', (_, now, date) => {
  expect(executionDate(sepa, new Date(now), false)).toBe(date)
})

test('hours and holidays of the bank hold in addition to the holidays of TARGET', () => {
  const timed = { ...sepa, hours: weekdays }
  expect(executionDate(timed, new Date('2026-04-02T14:31:00Z'), false)).toBe('2026-04-08')
  expect(executionDate(timed, new Date('2026-04-02T14:29:00Z'), false)).toBe('2026-04-02')
})

test('instant payments are executed on weekends and holidays', () => {
  expect(executionDate(sepa, new Date('2026-04-03T08:00:00Z'), true)).toBe('2026-04-03')
  const fasterPayments = { format: { type: 'FASTER_PAYMENTS' } } as const
  expect(executionDate(fasterPayments, new Date('2026-12-25T23:59:00Z'), true)).toBe('2026-12-25')
  expect(executionDate({ ...sepa, hours: weekdays }, new Date('2026-04-04T08:00:00Z'), true)).toBe(
    '2026-04-04',
  )
})

test.each([
  ['on a Tuesday', '2026-03-03T15:00:00Z', '2026-03-04'],
  ['on Thursday evening in New York, Friday in London', '2026-03-06T03:00:00Z', '2026-03-06'],
  ['on the Friday before Memorial Day', '2026-05-22T15:00:00Z', '2026-05-26'],
  ['before Thanksgiving', '2026-11-25T15:00:00Z', '2026-11-27'],
  ['before Independence Day on a Saturday, which is not moved', '2026-07-02T15:00:00Z', '2026-07-03'],
  ['before Independence Day on a Sunday', '2027-07-02T15:00:00Z', '2027-07-06'],
])(
  'without hours an ACH file that is made %s takes effect on the next day of the Federal Reserve',
  (_, now, date) => {
    expect(effectiveDate(ach, new Date(now))).toBe(date)
  },
)

test('ACH settles after banking days of the Federal Reserve, at noon on the clock of the bank', () => {
  expect(settlesAt(ach, '2026-05-21', 2)).toEqual(new Date('2026-05-26T16:00:00Z'))
  expect(settlesAt(ach, '2026-12-23', 2)).toEqual(new Date('2026-12-28T17:00:00Z'))
  const timed = { ...ach, hours: { ...weekdays, timeZone: 'America/Chicago', holidays: ['2026-03-04'] } }
  expect(settlesAt(timed, '2026-03-02', 2)).toEqual(new Date('2026-03-05T18:00:00Z'))
})

test.each([
  ['over a holiday', '2026-05-20', '2026-05-28'],
  ['over a weekend', '2026-03-02', '2026-03-09'],
])('five banking days %s pass for the network also if this bank is closed', (_, date, until) => {
  const timed = { ...ach, hours: { ...weekdays, timeZone: 'America/Chicago', holidays: ['2026-03-04'] } }
  expect(networkDate(timed, date, 5)).toBe(until)
  expect(networkDate(ach, date, 5)).toBe(until)
})

test('an entry that is queued less than an interval before midnight may get the date after the next banking day', () => {
  expect(effectiveDateOfQueued(ach, new Date('2026-03-04T03:59:00Z'), 0)).toBe('2026-03-04')
  expect(effectiveDateOfQueued(ach, new Date('2026-03-04T04:01:00Z'), 0)).toBe('2026-03-05')
  const often = { ...ach, everyMinutes: 5 }
  expect(effectiveDateOfQueued(often, new Date('2026-03-04T04:01:00Z'), 0)).toBe('2026-03-04')
})

test('an entry that waits for the files of later days gets the date of the last of them, and closed days do not count', () => {
  const friday = new Date('2026-03-06T12:00:00Z')
  const datesOf = (timed: Parameters<typeof effectiveDateOfQueued>[0]) =>
    [0, 1, 2, 3].map((days) => effectiveDateOfQueued(timed, friday, days))
  expect(datesOf(ach)).toEqual(['2026-03-09', '2026-03-09', '2026-03-09', '2026-03-10'])
  const timed = { ...ach, hours: { ...weekdays, timeZone: 'America/New_York' } }
  expect(datesOf(timed)).toEqual(['2026-03-09', '2026-03-09', '2026-03-10', '2026-03-11'])
})

test('a date is settled from noon of its last banking day on, on the clock of the bank', () => {
  expect(settledDate(ach, new Date('2026-05-26T15:59:00Z'), 3)).toBe('2026-05-19')
  expect(settledDate(ach, new Date('2026-05-26T16:00:00Z'), 3)).toBe('2026-05-20')
  expect(settledDate(ach, new Date('2026-05-25T16:00:00Z'), 3)).toBe('2026-05-19')
})

test('the default interval leaves an ACH bank fewer files per day than it can distinguish', () => {
  const start = new Date('2026-03-02T00:00:00Z')
  const after = (minutes: number) => new Date(start.getTime() + minutes * 60_000)
  expect([14, 15].map((minutes) => isCollectionDue(sepa, start, after(minutes)))).toEqual([false, true])
  expect([59, 60].map((minutes) => isCollectionDue(ach, start, after(minutes)))).toEqual([false, true])
  expect(isCollectionDue({ ...ach, everyMinutes: 5 }, start, after(5))).toBe(true)
})

test('a file is dated on the clock of the bank', () => {
  expect(formatBankTime(ach, new Date('2026-03-03T03:05:00Z'))).toBe('2026-03-02T22:05')
  expect(formatBankTime(sepa, new Date('2026-03-03T23:05:00Z'))).toBe('2026-03-04T00:05')
})

test.each([
  ['at the last minute of a Tuesday', '2026-03-03T14:45', true],
  ['a minute later', '2026-03-03T14:46', false],
  ['on a Saturday', '2026-03-07T10:00', false],
  ['on Memorial Day', '2026-05-25T10:00', false],
])('an ACH file that is made %s can be same-day: %s is %s', (_, madeOn, isSameDay) => {
  const timed = { format: { type: 'ACH', sameDayUntil: '14:45' } } as const
  expect(sameDayOf(timed, madeOn)).toBe(isSameDay)
  expect(sameDayOf(ach, madeOn)).toBe(false)
})

test('no file is same-day on a day on which the bank is closed', () => {
  const format = { type: 'ACH', sameDayUntil: '14:45' } as const
  const timed = { format, hours: { ...weekdays, holidays: ['2026-03-03'] } }
  expect(sameDayOf(timed, '2026-03-03T10:00')).toBe(false)
  expect(sameDayOf(timed, '2026-03-04T10:00')).toBe(true)
})
