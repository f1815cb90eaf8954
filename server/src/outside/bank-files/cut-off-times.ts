import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { DateTime } from 'luxon'
import { requireValue } from '../../base/formats/require-value.ts'
import { BANK_TIME_ZONES, type BankCalendar, isBankingDay } from '../../money/rails/bank-holidays.ts'
import { findNextOpening } from '../../money/rails/opening-hours.ts'

/** The settings that determine the dates and times of a bank file rail. */
type Schedule = Pick<BankFilesRailValue, 'hours' | 'everyMinutes'> & {
  readonly format: Pick<BankFilesRailValue['format'], 'type'> & { readonly sameDayUntil?: string }
}

/** An ACH bank can distinguish only 36 files a day, so ACH files are less frequent. */
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
 * True if a file should be created now: the interval has passed, or today's cut-off has passed since the last
 * file.
 */
export function isCollectionDue(schedule: Schedule, last: Date, now: Date): boolean {
  const { hours, everyMinutes = EVERY_MINUTES[schedule.format.type] } = schedule
  if (now.getTime() - last.getTime() >= everyMinutes * 60_000) return true
  if (!hours) return false
  const [hour = 0, minute = 0] = hours.cutOff.split(':').map(Number)
  const cutOff = toBankTime(schedule, now).set({ hour, minute }).startOf('minute')
  return last < cutOff.toJSDate() && cutOff.toJSDate() <= now
}

/** The day of a time returned by `formatBankTime`, as `YYYY-MM-DD`. */
export function toBankDay(time: string): string {
  return time.slice(0, 'YYYY-MM-DD'.length)
}

/** The date and time in the bank's time zone, as `YYYY-MM-DDTHH:MM`. */
export function formatBankTime(schedule: Schedule, now: Date): string {
  return toBankTime(schedule, now).toFormat("yyyy-MM-dd'T'HH:mm")
}

/**
 * The execution day of a file: today, or the next day on which the bank is open. TARGET and the Federal
 * Reserve settle transfers on their banking days. SEPA instant payments and Faster Payments settle every day.
 */
export function findExecutionDate(schedule: Schedule, now: Date, isInstant: boolean): string {
  let day = findOpening(schedule, now)
  while (!isInstant && !isBankingDay(CALENDARS[schedule.format.type], day))
    day = findOpening(schedule, toNextDay(day))
  return toDate(day)
}

/**
 * The collection day of direct debits, or the Bacs processing day: `leadDays` banking days after the day of
 * the file.
 */
export function findCollectionDate(schedule: Schedule, now: Date, leadDays: number): string {
  return toDate(plusBankingDays(schedule, findExecutionDate(schedule, now, false), leadDays))
}

/** The ACH effective date: the next banking day on which the bank is open. */
export function findEffectiveDate(schedule: Schedule, now: Date): string {
  let day = findOpening(schedule, toNextDay(toBankTime(schedule, now)))
  while (!isBankingDay('FEDERAL_RESERVE', day)) day = findOpening(schedule, toNextDay(day))
  return toDate(day)
}

/**
 * The latest effective date of an ACH entry that is queued at this time and waits `days` more days on which
 * the bank is open. Its file may be created one interval after that.
 */
export function findLatestEffectiveDate(schedule: Schedule, queuedAt: Date, days: number): string {
  const { everyMinutes = EVERY_MINUTES[schedule.format.type] } = schedule
  let at = queuedAt
  for (let left = days; left > 0; left--)
    at = findOpening(schedule, toNextDay(toBankTime(schedule, at))).toJSDate()
  return findEffectiveDate(schedule, new Date(at.getTime() + everyMinutes * 60_000))
}

/** True if a file made at this time (as returned by `formatBankTime`) can be same-day ACH. */
export function canBeSameDay(schedule: Schedule, madeOn: string): boolean {
  const { sameDayUntil } = schedule.format
  const time = DateTime.fromISO(madeOn, { zone: findTimeZone(schedule) })
  if (sameDayUntil === undefined || time.toFormat('HH:mm') > sameDayUntil) return false
  return (
    isBankingDay('FEDERAL_RESERVE', time) && toDate(findOpening(schedule, time.toJSDate())) === toDate(time)
  )
}

/** Noon of the day `days` banking days after a date. */
export function findSettlementTime(schedule: Schedule, date: string, days: number): Date {
  return plusBankingDays(schedule, date, days).toJSDate()
}

/** The latest date after which `days` banking days have passed by now, counted as in `findSettlementTime`. */
export function findLastSettledDate(schedule: Schedule, now: Date, days: number): string {
  let day = toBankTime(schedule, now)
  while (findSettlementTime(schedule, toDate(day), days) > now) day = day.minus({ days: 1 })
  return toDate(day)
}

/**
 * Adds banking days to a date (`YYYY-MM-DD`). Days on which only this bank is closed count as banking days.
 */
export function addBankingDays({ format }: Schedule, date: string, days: number): string {
  return toDate(plusBankingDays({ format }, date, days))
}

/** The last banking day before a date, `YYYY-MM-DD`. */
export function findBankingDayBefore(schedule: Schedule, date: string): string {
  let day = DateTime.fromISO(date, { zone: findTimeZone(schedule) }).set({ hour: SETTLES_AT_HOUR })
  do day = day.minus({ days: 1 })
  while (!isBankingDay(CALENDARS[schedule.format.type], day))
  return toDate(day)
}

function plusBankingDays(schedule: Schedule, date: string, days: number): DateTime {
  const { hours, format } = schedule
  let day = DateTime.fromISO(date, { zone: findTimeZone(schedule) }).set({ hour: SETTLES_AT_HOUR })
  for (let left = days; left > 0; ) {
    day = day.plus({ days: 1 })
    if (isBankingDay(CALENDARS[format.type], day) && !hours?.holidays?.includes(toDate(day))) left -= 1
  }
  return day
}

/** The next time the bank is open according to its hours. Without hours, this is now. */
function findOpening(schedule: Schedule, now: Date): DateTime {
  return toBankTime(schedule, schedule.hours ? findNextOpening(schedule.hours, now) : now)
}

function toNextDay(day: DateTime): Date {
  return day.startOf('day').plus({ days: 1 }).toJSDate()
}

function toDate(day: DateTime): string {
  return requireValue(day.toISODate(), 'day of a valid time')
}

function toBankTime(schedule: Schedule, now: Date): DateTime {
  return DateTime.fromJSDate(now, { zone: findTimeZone(schedule) })
}

function findTimeZone({ hours, format }: Schedule): string {
  return hours?.timeZone ?? BANK_TIME_ZONES[CALENDARS[format.type]]
}
