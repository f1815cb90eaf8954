import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import { insert } from '../../storage/commit/writes.ts'
import type { PaymentScheduleRow } from '../../storage/rows/payment-schedule.ts'
import {
  advanceSchedule,
  type ChangedSchedule,
  decideOccurrence,
  findAnnounced,
  newOccurrence,
  requireNextDate,
  updateSchedule,
} from './change-schedule.ts'
import { selectOccurrenceOn } from './schedule-store.ts'
import { allDates } from './upcoming-dates.ts'

/** The number of dates ahead that can be skipped, so that the list of skipped dates stays bounded. */
const SKIPPED_WITHIN_DATES = 400

/**
 * Skips a date of an active schedule. Throws 400 `INVALID_INPUT`, 409 `INVALID_STATE_TRANSITION` if that
 * payment already has an outcome.
 */
export async function skipDate(
  op: Op,
  schedule: PaymentScheduleRow,
  date: string | undefined,
): Promise<ChangedSchedule> {
  const next = requireNextDate(schedule)
  if (date === undefined || date === next.date) return skipNext(op, schedule)
  const before = await selectOccurrenceOn(op, schedule.id, date)
  if (before) throw alreadyDecided(date, before.state)
  if (schedule.skipped_dates.includes(date)) throw alreadyDecided(date, 'SKIPPED')
  let checkedCount = 0
  for (const planned of allDates(schedule)) {
    checkedCount += 1
    if (planned.date > date || checkedCount > SKIPPED_WITHIN_DATES) break
    if (planned.date === date)
      return updateSchedule(op, schedule, [], { skipped_dates: [...schedule.skipped_dates, date].sort() })
  }
  throw fieldError(
    'INVALID_INPUT',
    'date',
    `The schedule does not pay on this date, or it is not among its next ${SKIPPED_WITHIN_DATES} dates`,
  )
}

/** Skips the next date, which still counts as one of the schedule's dates. */
async function skipNext(op: Op, schedule: PaymentScheduleRow): Promise<ChangedSchedule> {
  const skipped = schedule.is_announced
    ? decideOccurrence(op, await findAnnounced(op, schedule), 'skip').write
    : insert(
        'payment_occurrences',
        decideOccurrence(op, newOccurrence(op, schedule, requireNextDate(schedule)), 'skip').row,
      )
  const { row, writes } = advanceSchedule(op, schedule)
  return { row, writes: [skipped, ...writes] }
}

function alreadyDecided(date: string, state: string): ApiError {
  return new ApiError('INVALID_STATE_TRANSITION', {
    message: `The payment of ${date} is ${state}.`,
    details: { field: 'date', status: state },
  })
}
