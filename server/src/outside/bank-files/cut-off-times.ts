import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { DateTime } from 'luxon'
import { requireValue } from '../../base/formats/require-value.ts'
import { BANK_TIME_ZONES, type BankCalendar, isBankingDay } from '../../money/rails/bank-holidays.ts'
import { nextOpening } from '../../money/rails/opening-hours.ts'

/** Dates and times of a bank file rail, as pure functions of its format and opening hours. */
type Timed = Pick<BankFilesRailValue, 'hours' | 'everyMinutes'> & {
  readonly format: Pick<BankFilesRailValue['format'], 'type'> & { readonly sameDayUntil?: string }
}

/** An ACH bank can tell only 36 files per day apart, so ACH files are less frequent. */
const EVERY_MINUTES = { SEPA: 15, ACH: 60, WIRE: 15, BACS: 15, FASTER_PAYMENTS: 15 } as const
const CALENDARS: Readonly<Record<BankFilesRailValue['format']['type'], BankCalendar>> = {
  SEPA: 'TARGET',
  ACH: 'FEDERAL_RESERVE',
  WIRE: 'FEDERAL_RESERVE',
  BACS: 'ENGLAND',
  FASTER_PAYMENTS: 'ENGLAND',
}
const SETTLES_AT_HOUR = 12

/**
 * True if waiting payments should become a file now: the interval has passed, or today's cut-off has passed
 * since the last file.
 */
export function isCollectionDue(timed: Timed, last: Date, now: Date): boolean {
  const { hours, everyMinutes = EVERY_MINUTES[timed.format.type] } = timed
  if (now.getTime() - last.getTime() >= everyMinutes * 60_000) return true
  if (!hours) return false
  const [hour = 0, minute = 0] = hours.cutOff.split(':').map(Number)
  const cutOff = local(timed, now).set({ hour, minute }).startOf('minute')
  return last < cutOff.toJSDate() && cutOff.toJSDate() <= now
}

/** The day of a time returned by `formatBankTime`, as `YYYY-MM-DD`. */
export function dayOfBankTime(time: string): string {
  return time.slice(0, 'YYYY-MM-DD'.length)
}

/** The date and time in the bank's time zone, as `YYYY-MM-DDTHH:MM`. */
export function formatBankTime(timed: Timed, now: Date): string {
  return local(timed, now).toFormat("yyyy-MM-dd'T'HH:mm")
}

/**
 * The execution day of a file: today, or the next day on which the bank is open. TARGET and the Federal Reserve
 * settle transfers on their banking days. SEPA instant payments and Faster Payments settle every day.
 */
export function executionDate(timed: Timed, now: Date, isInstant: boolean): string {
  let day = openingOn(timed, now)
  while (!isInstant && !isBankingDay(CALENDARS[timed.format.type], day)) day = openingOn(timed, nextDay(day))
  return dateOf(day)
}

/**
 * The collection day of direct debits, or the Bacs processing day: `leadDays` banking days after the day of
 * the file.
 */
export function collectionDate(timed: Timed, now: Date, leadDays: number): string {
  return dateOf(afterBankingDays(timed, executionDate(timed, now, false), leadDays))
}

/** The ACH effective date: the next banking day on which the bank is open. */
export function effectiveDate(timed: Timed, now: Date): string {
  let day = openingOn(timed, nextDay(local(timed, now)))
  while (!isBankingDay('FEDERAL_RESERVE', day)) day = openingOn(timed, nextDay(day))
  return dateOf(day)
}

/**
 * The latest effective date of an ACH entry that is queued at this time, and waits for the files of `days` later
 * days on which the bank is open: its file may be made an interval later.
 */
export function effectiveDateOfQueued(timed: Timed, queuedAt: Date, days: number): string {
  const { everyMinutes = EVERY_MINUTES[timed.format.type] } = timed
  let at = queuedAt
  for (let left = days; left > 0; left--) at = openingOn(timed, nextDay(local(timed, at))).toJSDate()
  return effectiveDate(timed, new Date(at.getTime() + everyMinutes * 60_000))
}

/** True if a file made at this time (as returned by `formatBankTime`) can be same-day ACH. */
export function sameDayOf(timed: Timed, madeOn: string): boolean {
  const { sameDayUntil } = timed.format
  const time = DateTime.fromISO(madeOn, { zone: timeZoneOf(timed) })
  if (sameDayUntil === undefined || time.toFormat('HH:mm') > sameDayUntil) return false
  return isBankingDay('FEDERAL_RESERVE', time) && dateOf(openingOn(timed, time.toJSDate())) === dateOf(time)
}

/** Noon of the day `days` banking days after a date. */
export function settlesAt(timed: Timed, date: string, days: number): Date {
  return afterBankingDays(timed, date, days).toJSDate()
}

/** The latest date after which `days` banking days have passed by now, counted as in `settlesAt`. */
export function settledDate(timed: Timed, now: Date, days: number): string {
  let day = local(timed, now)
  while (settlesAt(timed, dateOf(day), days) > now) day = day.minus({ days: 1 })
  return dateOf(day)
}

/** The date that is `days` banking days after one, `YYYY-MM-DD`. Days on which only this bank is closed count. */
export function networkDate({ format }: Timed, date: string, days: number): string {
  return dateOf(afterBankingDays({ format }, date, days))
}

/** The last banking day before a date, `YYYY-MM-DD`. */
export function bankingDayBefore(timed: Timed, date: string): string {
  let day = DateTime.fromISO(date, { zone: timeZoneOf(timed) }).set({ hour: SETTLES_AT_HOUR })
  do day = day.minus({ days: 1 })
  while (!isBankingDay(CALENDARS[timed.format.type], day))
  return dateOf(day)
}

function afterBankingDays(timed: Timed, date: string, days: number): DateTime {
  const { hours, format } = timed
  let day = DateTime.fromISO(date, { zone: timeZoneOf(timed) }).set({ hour: SETTLES_AT_HOUR })
  for (let left = days; left > 0; ) {
    day = day.plus({ days: 1 })
    if (isBankingDay(CALENDARS[format.type], day) && !hours?.holidays?.includes(dateOf(day))) left -= 1
  }
  return day
}

/** The next day on which the bank is open according to its hours. Without hours, that is today. */
function openingOn(timed: Timed, now: Date): DateTime {
  return local(timed, timed.hours ? nextOpening(timed.hours, now) : now)
}

/** The start of the next day. */
function nextDay(day: DateTime): Date {
  return day.startOf('day').plus({ days: 1 }).toJSDate()
}

function dateOf(day: DateTime): string {
  return requireValue(day.toISODate(), 'day of a valid time')
}

function local(timed: Timed, now: Date): DateTime {
  return DateTime.fromJSDate(now, { zone: timeZoneOf(timed) })
}

function timeZoneOf({ hours, format }: Timed): string {
  return hours?.timeZone ?? BANK_TIME_ZONES[CALENDARS[format.type]]
}
