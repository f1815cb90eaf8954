import type { DateTime } from 'luxon'

/** Computes the banking days of settlement systems for any year. */

/**
 * TARGET settles SEPA payments, the Federal Reserve settles ACH payments, and Bacs is closed on the bank
 * holidays of England.
 */
export type BankCalendar = 'TARGET' | 'FEDERAL_RESERVE' | 'ENGLAND'

/** The time zone in which each system counts its days. */
export const BANK_TIME_ZONES = {
  TARGET: 'Europe/Berlin',
  FEDERAL_RESERVE: 'America/New_York',
  ENGLAND: 'Europe/London',
} as const

const FRIDAY = 5
const SUNDAY = 7
const MONDAY = 1
const THURSDAY = 4

/** True if the system settles on this day. */
export function isBankingDay(calendar: BankCalendar, day: DateTime): boolean {
  if (day.weekday > FRIDAY) return false
  return !IS_HOLIDAY[calendar](day)
}

const IS_HOLIDAY: Readonly<Record<BankCalendar, (day: DateTime) => boolean>> = {
  TARGET: isTargetHoliday,
  FEDERAL_RESERVE: isFederalHoliday,
  ENGLAND: isEnglishHoliday,
}

/**
 * Decision ECB/2022/912, annex III: New Year's Day, Good Friday, Easter Monday, 1 May, 25 and 26 December.
 */
function isTargetHoliday(day: DateTime): boolean {
  const { month, day: date } = day
  if ((month === 1 && date === 1) || (month === 5 && date === 1)) return true
  if (month === 12 && (date === 25 || date === 26)) return true
  return isEasterHoliday(day)
}

/** Good Friday and Easter Monday. */
function isEasterHoliday(day: DateTime): boolean {
  // Easter Sunday is between 22 March and 25 April.
  if (day.month !== 3 && day.month !== 4) return false
  const days = Math.round(day.startOf('day').diff(computeEasterSunday(day), 'days').days)
  return days === -2 || days === 1
}

/**
 * The holidays of the Banking and Financial Dealings Act 1971 and those proclaimed every year. A one-time
 * holiday, such as for a coronation, belongs in the rail's `hours`.
 */
function isEnglishHoliday(day: DateTime): boolean {
  if (isEasterHoliday(day)) return true
  const { month, weekday } = day
  // A holiday on a weekend is observed on the next working day. This applies to 25 and 26 December, too.
  if (month === 1) return day.day === 1 || (weekday === MONDAY && day.day <= 3)
  if (month === 12) {
    const isSubstitute = (day.day === 27 || day.day === 28) && weekday <= 2
    return day.day === 25 || day.day === 26 || isSubstitute
  }
  if (weekday !== MONDAY) return false
  // The first and the last Monday of May, and the last Monday of August.
  return (month === 5 && (day.day <= 7 || day.day > 24)) || (month === 8 && day.day > 24)
}

/** Regulation J, and the holiday schedule of the Federal Reserve Banks. */
function isFederalHoliday(day: DateTime): boolean {
  if (isFixedFederalHoliday(day)) return true
  // A holiday on a Sunday is observed on Monday. A holiday on a Saturday is not moved: banks are open on the
  // Friday before.
  if (day.weekday === MONDAY && isFixedFederalHoliday(day.minus({ days: 1 }))) return true
  const { month, weekday } = day
  const nth = Math.ceil(day.day / 7)
  if (weekday === THURSDAY) return month === 11 && nth === 4
  if (weekday !== MONDAY) return false
  // Martin Luther King Day, Washington's Birthday, Labor Day and Columbus Day. Memorial Day is the last
  // Monday of May.
  const isNthMonday = (nth === 3 && month <= 2) || (nth === 1 && month === 9) || (nth === 2 && month === 10)
  return isNthMonday || (month === 5 && day.day > 24)
}

/** New Year's Day, Juneteenth, Independence Day, Veterans Day and Christmas. */
function isFixedFederalHoliday({ month, day }: DateTime): boolean {
  return ['1-1', '6-19', '7-4', '11-11', '12-25'].includes(`${month}-${day}`)
}

/** Easter Sunday in a day's year, by the Meeus/Jones/Butcher algorithm. */
function computeEasterSunday(dayOfYear: DateTime): DateTime {
  const { year } = dayOfYear
  const golden = year % 19
  const [century, yearOfCentury] = [Math.floor(year / 100), year % 100]
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30
  const toSunday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % SUNDAY
  const month = Math.floor((golden + 11 * epact + 22 * toSunday) / 451)
  const days = epact + toSunday - 7 * month + 114
  return dayOfYear.startOf('day').set({ month: Math.floor(days / 31), day: (days % 31) + 1 })
}
