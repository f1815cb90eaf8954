import type { HttpRailValue } from '@countersign/contract/connectors/rails-file'
import { WEEKDAYS } from '@countersign/contract/core/formats'
import { DateTime, IANAZone } from 'luxon'

/** The opening hours of a rail: its days of the week, opening time, cut-off, time zone and holidays. */
export type Hours = NonNullable<HttpRailValue['hours']>

const DAYS_MAX = 400

/** Finds a fault that the schema does not detect. Returns undefined if the opening hours are correct. */
export function findHoursFault({ timeZone, opensAt, cutOff }: Hours): string | undefined {
  if (!IANAZone.isValidZone(timeZone)) return `timeZone ${timeZone} is not in the time zone database`
  return opensAt < cutOff ? undefined : `opensAt ${opensAt} must be before cutOff ${cutOff}`
}

/**
 * The earliest time from `now` at which the rail is open, which is `now` itself during opening hours. A local
 * time that a clock change skips becomes the time after the change. Throws if the rail does not open within
 * 400 days.
 */
export function findNextOpening(hours: Hours, now: Date): Date {
  const local = DateTime.fromJSDate(now, { zone: hours.timeZone })
  for (let days = 0; days <= DAYS_MAX; days++) {
    const day = local.startOf('day').plus({ days })
    if (!isOpenOn(hours, day)) continue
    const [opens, closes] = [atTime(day, hours.opensAt), atTime(day, hours.cutOff)]
    if (now < closes) return now < opens ? opens : now
  }
  throw new Error(`The opening hours keep the rail closed for ${DAYS_MAX} days`)
}

function isOpenOn({ days, holidays }: Hours, day: DateTime): boolean {
  const isWeekday = days.some((name) => WEEKDAYS.indexOf(name) === day.weekday - 1)
  return isWeekday && !holidays?.includes(day.toISODate() ?? '')
}

function atTime(day: DateTime, time: string): Date {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return day.set({ hour, minute }).toJSDate()
}
