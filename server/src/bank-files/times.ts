import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { DateTime } from 'luxon'
import { nextOpening } from '../rails/hours.ts'

/** When a rail of files does what: pure functions of its hours. Without hours every day is open, in UTC. */
type Timed = Pick<BankFilesRailValue, 'hours' | 'everyMinutes'>

const EVERY_MINUTES = 15
const SETTLES_AT_HOUR = 12

/** Whether what has gathered becomes a file now: the interval is over, or the cut-off of today has passed since the last time. */
export function isCollectionDue(
  { hours, everyMinutes = EVERY_MINUTES }: Timed,
  last: Date,
  now: Date,
): boolean {
  if (now.getTime() - last.getTime() >= everyMinutes * 60_000) return true
  if (!hours) return false
  const [hour, minute] = hours.cutOff.split(':').map(Number)
  const cutOff = DateTime.fromJSDate(now, { zone: hours.timeZone })
    .set({ hour: hour!, minute: minute! })
    .startOf('minute')
  return last < cutOff.toJSDate() && cutOff.toJSDate() <= now
}

/** Date and time of a moment on the bank's clock, `YYYY-MM-DDTHH:MM`. */
export function madeOn({ hours }: Timed, now: Date): string {
  return local(hours, now).toFormat("yyyy-MM-dd'T'HH:mm")
}

/** The day on which a SEPA file is to be executed: today while the bank is open, else the next day on which it is. */
export function executionDate({ hours }: Timed, now: Date): string {
  return local(hours, hours ? nextOpening(hours, now) : now).toISODate()!
}

/** The effective date of ACH: the next day, Saturday and Sunday aside, on which the bank is open. */
export function effectiveDate(timed: Timed, now: Date): string {
  const { hours } = timed
  let day = local(hours, now).startOf('day').plus({ days: 1 })
  while (day.weekday > 5) day = day.plus({ days: 1 })
  return executionDate(timed, day.toJSDate())
}

/** Noon of the day so many days of the week after a date. */
export function settlesAt({ hours }: Timed, date: string, days: number): Date {
  let day = DateTime.fromISO(date, { zone: hours?.timeZone ?? 'UTC' }).set({ hour: SETTLES_AT_HOUR })
  for (let left = days; left > 0; ) {
    day = day.plus({ days: 1 })
    if (day.weekday <= 5) left -= 1
  }
  return day.toJSDate()
}

function local(hours: BankFilesRailValue['hours'], now: Date): DateTime {
  return DateTime.fromJSDate(now, { zone: hours?.timeZone ?? 'UTC' })
}
