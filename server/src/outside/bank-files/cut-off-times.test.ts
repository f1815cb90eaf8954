import { expect, test } from 'vitest'
import {
  addBankingDays,
  canBeSameDay,
  findEffectiveDate,
  findExecutionDate,
  findLastSettledDate,
  findLatestEffectiveDate,
  findSettlementTime,
  formatBankTime,
  isCollectionDue,
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
])(
  'a SEPA file without configured hours that is made %s is executed on the next TARGET day',
  (_, now, date) => {
    expect(findExecutionDate(sepa, new Date(now), false)).toBe(date)
  },
)

test('the hours and holidays of the bank apply in addition to TARGET holidays', () => {
  const schedule = { ...sepa, hours: weekdays }
  expect(findExecutionDate(schedule, new Date('2026-04-02T14:31:00Z'), false)).toBe('2026-04-08')
  expect(findExecutionDate(schedule, new Date('2026-04-02T14:29:00Z'), false)).toBe('2026-04-02')
})

test('instant payments are executed on weekends and holidays', () => {
  expect(findExecutionDate(sepa, new Date('2026-04-03T08:00:00Z'), true)).toBe('2026-04-03')
  const fasterPayments = { format: { type: 'FASTER_PAYMENTS' } } as const
  expect(findExecutionDate(fasterPayments, new Date('2026-12-25T23:59:00Z'), true)).toBe('2026-12-25')
  expect(findExecutionDate({ ...sepa, hours: weekdays }, new Date('2026-04-04T08:00:00Z'), true)).toBe(
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
  'an ACH file without configured hours that is made %s takes effect on the next Federal Reserve day',
  (_, now, date) => {
    expect(findEffectiveDate(ach, new Date(now))).toBe(date)
  },
)

test('ACH settles after Federal Reserve banking days, at noon in the time zone of the bank', () => {
  expect(findSettlementTime(ach, '2026-05-21', 2)).toEqual(new Date('2026-05-26T16:00:00Z'))
  expect(findSettlementTime(ach, '2026-12-23', 2)).toEqual(new Date('2026-12-28T17:00:00Z'))
  const schedule = { ...ach, hours: { ...weekdays, timeZone: 'America/Chicago', holidays: ['2026-03-04'] } }
  expect(findSettlementTime(schedule, '2026-03-02', 2)).toEqual(new Date('2026-03-05T18:00:00Z'))
})

test.each([
  ['over a holiday', '2026-05-20', '2026-05-28'],
  ['over a weekend', '2026-03-02', '2026-03-09'],
])('five banking days of the network %s include days on which only this bank is closed', (_, date, until) => {
  const schedule = { ...ach, hours: { ...weekdays, timeZone: 'America/Chicago', holidays: ['2026-03-04'] } }
  expect(addBankingDays(schedule, date, 5)).toBe(until)
  expect(addBankingDays(ach, date, 5)).toBe(until)
})

test('an ACH entry queued less than one interval before midnight may get the date after the next banking day', () => {
  expect(findLatestEffectiveDate(ach, new Date('2026-03-04T03:59:00Z'), 0)).toBe('2026-03-04')
  expect(findLatestEffectiveDate(ach, new Date('2026-03-04T04:01:00Z'), 0)).toBe('2026-03-05')
  const often = { ...ach, everyMinutes: 5 }
  expect(findLatestEffectiveDate(often, new Date('2026-03-04T04:01:00Z'), 0)).toBe('2026-03-04')
})

test('an ACH entry that waits several days for its file gets the date of its last waiting day, and closed days do not count', () => {
  const friday = new Date('2026-03-06T12:00:00Z')
  const findDates = (schedule: Parameters<typeof findLatestEffectiveDate>[0]) =>
    [0, 1, 2, 3].map((days) => findLatestEffectiveDate(schedule, friday, days))
  expect(findDates(ach)).toEqual(['2026-03-09', '2026-03-09', '2026-03-09', '2026-03-10'])
  const schedule = { ...ach, hours: { ...weekdays, timeZone: 'America/New_York' } }
  expect(findDates(schedule)).toEqual(['2026-03-09', '2026-03-09', '2026-03-10', '2026-03-11'])
})

test('an ACH date counts as settled from noon of its last banking day in the time zone of the bank', () => {
  expect(findLastSettledDate(ach, new Date('2026-05-26T15:59:00Z'), 3)).toBe('2026-05-19')
  expect(findLastSettledDate(ach, new Date('2026-05-26T16:00:00Z'), 3)).toBe('2026-05-20')
  expect(findLastSettledDate(ach, new Date('2026-05-25T16:00:00Z'), 3)).toBe('2026-05-19')
})

test('the default interval creates fewer ACH files a day than a bank can distinguish', () => {
  const start = new Date('2026-03-02T00:00:00Z')
  const after = (minutes: number) => new Date(start.getTime() + minutes * 60_000)
  expect([14, 15].map((minutes) => isCollectionDue(sepa, start, after(minutes)))).toEqual([false, true])
  expect([59, 60].map((minutes) => isCollectionDue(ach, start, after(minutes)))).toEqual([false, true])
  expect(isCollectionDue({ ...ach, everyMinutes: 5 }, start, after(5))).toBe(true)
})

test('a bank file is dated in the time zone of the bank', () => {
  expect(formatBankTime(ach, new Date('2026-03-03T03:05:00Z'))).toBe('2026-03-02T22:05')
  expect(formatBankTime(sepa, new Date('2026-03-03T23:05:00Z'))).toBe('2026-03-04T00:05')
})

test.each([
  ['at the last minute of a Tuesday', '2026-03-03T14:45', true],
  ['a minute later', '2026-03-03T14:46', false],
  ['on a Saturday', '2026-03-07T10:00', false],
  ['on Memorial Day', '2026-05-25T10:00', false],
])('an ACH file that is made %s can be same-day: %s is %s', (_, madeOn, isSameDay) => {
  const schedule = { format: { type: 'ACH', sameDayUntil: '14:45' } } as const
  expect(canBeSameDay(schedule, madeOn)).toBe(isSameDay)
  expect(canBeSameDay(ach, madeOn)).toBe(false)
})

test('no ACH file is same-day while the bank is closed', () => {
  const format = { type: 'ACH', sameDayUntil: '14:45' } as const
  const schedule = { format, hours: { ...weekdays, holidays: ['2026-03-03'] } }
  expect(canBeSameDay(schedule, '2026-03-03T10:00')).toBe(false)
  expect(canBeSameDay(schedule, '2026-03-04T10:00')).toBe(true)
})
