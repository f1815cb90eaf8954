import type { PaymentScheduleRow } from '../../storage/rows/payment-schedule.ts'
import { nextDate, type PaymentDate, timeOn } from './timing.ts'

/** A date of a schedule, with its number in the schedule. */
export interface Planned extends PaymentDate {
  readonly number: number
}

type Plan = Pick<PaymentScheduleRow, 'timing' | 'next_date' | 'next_number' | 'skipped_dates'>

/**
 * The next date of a schedule after the given one, even if it is to be skipped. Undefined if it was the last.
 */
export function dateAfter(
  { timing }: Pick<Plan, 'timing'>,
  { date, number }: Omit<Planned, 'at'>,
): Planned | undefined {
  if (timing.count !== undefined && number >= timing.count) return undefined
  const next = nextDate(timing, date)
  return next === undefined ? undefined : { date: next, number: number + 1, at: timeOn(timing, next) }
}

/** The next dates that will be paid, at most `max`. */
export function datesFrom(plan: Plan, max: number): readonly Planned[] {
  const dates: Planned[] = []
  for (const planned of allDates(plan)) {
    if (!plan.skipped_dates.includes(planned.date)) dates.push(planned)
    if (dates.length === max) break
  }
  return dates
}

/** All dates from the next one on, including those to be skipped. */
export function* allDates(plan: Plan): Generator<Planned> {
  const { timing, next_date: date, next_number: number } = plan
  let planned: Planned | undefined = date === null ? undefined : { date, number, at: timeOn(timing, date) }
  while (planned !== undefined) {
    yield planned
    planned = dateAfter(plan, planned)
  }
}
