import { DateTime } from 'luxon'
import type { Rail } from '../../kernel/ports/rail.ts'

/** A rail's days follow the time zone of its opening hours, or UTC. A day is `YYYY-MM-DD`. */

function findTimeZone(rail: Rail | undefined): string {
  return rail?.entry?.hours?.timeZone ?? 'UTC'
}

/** The time at which a day ends. */
export function endOfRailDay(date: string, rail: Rail | undefined): Date {
  return DateTime.fromISO(date, { zone: findTimeZone(rail) })
    .plus({ days: 1 })
    .toJSDate()
}

/** The time at which a day begins. */
export function startOfRailDay(date: string, rail: Rail | undefined): Date {
  return DateTime.fromISO(date, { zone: findTimeZone(rail) }).toJSDate()
}

/** The last day that has ended. */
export function lastEnded(now: Date, rail: Rail): string {
  return formatDate(DateTime.fromJSDate(now, { zone: findTimeZone(rail) }).minus({ days: 1 }))
}

/** The days after `after` up to and including `last`, but only the last `max` of them. */
export function listDaysBetween(after: string | undefined, last: string, max: number): string[] {
  const end = DateTime.fromISO(last, { zone: 'UTC' })
  const earliest = after === undefined ? end : DateTime.fromISO(after, { zone: 'UTC' }).plus({ days: 1 })
  const days: string[] = []
  for (let day = end; day >= earliest && days.length < max; day = day.minus({ days: 1 }))
    days.push(formatDate(day))
  return days.reverse()
}

function formatDate(time: DateTime): string {
  return time.toFormat('yyyy-MM-dd')
}
