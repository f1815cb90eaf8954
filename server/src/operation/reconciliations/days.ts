import { DateTime } from 'luxon'
import type { Rail } from '../../kernel/ports/rail.ts'

/** A rail's days: in the time zone of its hours, else in UTC. A day is `YYYY-MM-DD`. */

function zoneOf(rail: Rail | undefined): string {
  return rail?.entry?.hours?.timeZone ?? 'UTC'
}

/** When a day ends. */
export function endOf(date: string, rail: Rail | undefined): Date {
  return DateTime.fromISO(date, { zone: zoneOf(rail) })
    .plus({ days: 1 })
    .toJSDate()
}

/** When a day begins. */
export function startOf(date: string, rail: Rail | undefined): Date {
  return DateTime.fromISO(date, { zone: zoneOf(rail) }).toJSDate()
}

/** The last complete day. */
export function lastEnded(now: Date, rail: Rail): string {
  return dateOf(DateTime.fromJSDate(now, { zone: zoneOf(rail) }).minus({ days: 1 }))
}

/** The days after `after` up to and including `last`, at most the last `max` of them. */
export function daysBetween(after: string | undefined, last: string, max: number): string[] {
  const end = DateTime.fromISO(last, { zone: 'UTC' })
  const earliest = after === undefined ? end : DateTime.fromISO(after, { zone: 'UTC' }).plus({ days: 1 })
  const days: string[] = []
  for (let day = end; day >= earliest && days.length < max; day = day.minus({ days: 1 }))
    days.push(dateOf(day))
  return days.reverse()
}

function dateOf(time: DateTime): string {
  return time.toFormat('yyyy-MM-dd')
}
