import { DateTime } from 'luxon'
import { expect, test } from 'vitest'
import { type BankCalendar, isBankingDay } from './bank-holidays.ts'

/** The days of a year, Monday to Friday, on which a system does not settle. */
function listClosedDays(calendar: BankCalendar, year: number, zone = 'UTC'): string[] {
  const days = Array.from({ length: 366 }, (_, index) =>
    DateTime.fromObject({ year, month: 1, day: 1 }, { zone }).plus({ days: index }),
  )
  return days
    .filter((day) => day.year === year && day.weekday <= 5 && !isBankingDay(calendar, day))
    .map((day) => day.toFormat('MM-dd'))
}

/** Announced by the European Central Bank. */
const TARGET = {
  2019: ['01-01', '04-19', '04-22', '05-01', '12-25', '12-26'],
  2024: ['01-01', '03-29', '04-01', '05-01', '12-25', '12-26'],
  2025: ['01-01', '04-18', '04-21', '05-01', '12-25', '12-26'],
  2026: ['01-01', '04-03', '04-06', '05-01', '12-25'],
  2027: ['01-01', '03-26', '03-29'],
  2028: ['04-14', '04-17', '05-01', '12-25', '12-26'],
  2038: ['01-01', '04-23', '04-26'],
}

/** Announced by the Federal Reserve Banks. */
const FEDERAL_RESERVE = {
  2021: ['01-01', '01-18', '02-15', '05-31', '07-05', '09-06', '10-11', '11-11', '11-25'],
  2022: ['01-17', '02-21', '05-30', '06-20', '07-04', '09-05', '10-10', '11-11', '11-24', '12-26'],
  2023: [...['01-02', '01-16', '02-20', '05-29', '06-19', '07-04', '09-04', '10-09', '11-23', '12-25']],
  2024: [
    ...['01-01', '01-15', '02-19', '05-27', '06-19', '07-04', '09-02', '10-14', '11-11', '11-28', '12-25'],
  ],
  2025: [
    ...['01-01', '01-20', '02-17', '05-26', '06-19', '07-04', '09-01', '10-13', '11-11', '11-27', '12-25'],
  ],
  2026: ['01-01', '01-19', '02-16', '05-25', '06-19', '09-07', '10-12', '11-11', '11-26', '12-25'],
  2027: ['01-01', '01-18', '02-15', '05-31', '07-05', '09-06', '10-11', '11-11', '11-25'],
}

/** Announced by the government of the United Kingdom, for England and Wales. */
const ENGLAND = {
  2024: ['01-01', '03-29', '04-01', '05-06', '05-27', '08-26', '12-25', '12-26'],
  2025: ['01-01', '04-18', '04-21', '05-05', '05-26', '08-25', '12-25', '12-26'],
  2026: ['01-01', '04-03', '04-06', '05-04', '05-25', '08-31', '12-25', '12-28'],
  2027: ['01-01', '03-26', '03-29', '05-03', '05-31', '08-30', '12-27', '12-28'],
  2028: ['01-03', '04-14', '04-17', '05-01', '05-29', '08-28', '12-25', '12-26'],
}

test.each(Object.entries(ENGLAND))(
  'Bacs is closed in %s on the announced bank holidays of England',
  (year, days) => {
    expect(listClosedDays('ENGLAND', Number(year))).toEqual(days)
    expect(listClosedDays('ENGLAND', Number(year), 'Europe/London')).toEqual(days)
  },
)

test.each(Object.entries(TARGET))(
  'TARGET is closed in %s on the days that the ECB announced',
  (year, days) => {
    expect(listClosedDays('TARGET', Number(year))).toEqual(days)
    expect(listClosedDays('TARGET', Number(year), 'Europe/Berlin')).toEqual(days)
  },
)

test.each(Object.entries(FEDERAL_RESERVE))(
  'the Federal Reserve is closed in %s on the days that it announced',
  (year, days) => {
    expect(listClosedDays('FEDERAL_RESERVE', Number(year))).toEqual(days)
    expect(listClosedDays('FEDERAL_RESERVE', Number(year), 'America/New_York')).toEqual(days)
  },
)

test('no system settles on a Saturday or a Sunday', () => {
  for (let day = DateTime.utc(2026, 1, 1); day.year < 2028; day = day.plus({ days: 1 }))
    if (day.weekday > 5)
      for (const calendar of ['TARGET', 'FEDERAL_RESERVE', 'ENGLAND'] as const)
        expect(isBankingDay(calendar, day)).toBe(false)
})
