import type { PaymentScheduleRow } from '../../storage/rows/payment-schedule.ts'
import { computePaymentTime, findNextDate, type PaymentDate } from './timing.ts'

/** A date of a schedule, with its number in the schedule. */
export interface PlannedDate extends PaymentDate {
  readonly number: number
}

type Plan = Pick<PaymentScheduleRow, 'timing' | 'next_date' | 'next_number' | 'skipped_dates'>

/**
 * The next date of a schedule after the given date, even if it will be skipped. Undefined after the last
 * date.
 */
export function planNextDate(
  { timing }: Pick<Plan, 'timing'>,
  { date, number }: Omit<PlannedDate, 'at'>,
): PlannedDate | undefined {
  if (timing.count !== undefined && number >= timing.count) return undefined
  const next = findNextDate(timing, date)
  return next === undefined
    ? undefined
    : { date: next, number: number + 1, at: computePaymentTime(timing, next) }
}

/** The next dates that will be paid, at most `max`. */
export function listUpcomingDates(plan: Plan, max: number): readonly PlannedDate[] {
  const dates: PlannedDate[] = []
  for (const planned of iterateDates(plan)) {
    if (!plan.skipped_dates.includes(planned.date)) dates.push(planned)
    if (dates.length === max) break
  }
  return dates
}

/** All dates from the next date on, including dates that will be skipped. */
export function* iterateDates(plan: Plan): Generator<PlannedDate> {
  const { timing, next_date: date, next_number: number } = plan
  let planned: PlannedDate | undefined =
    date === null ? undefined : { date, number, at: computePaymentTime(timing, date) }
  while (planned !== undefined) {
    yield planned
    planned = planNextDate(plan, planned)
  }
}
