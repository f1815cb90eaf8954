import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { insert } from '../../storage/commit/writes.ts'
import type { PaymentScheduleRow } from '../../storage/rows/payment-schedule.ts'
import {
  advanceSchedule,
  type ChangedSchedule,
  decideOccurrence,
  findAnnouncedOccurrence,
  newOccurrence,
  requireNextDate,
  updateSchedule,
} from './change-schedule.ts'
import { selectOccurrenceOn } from './schedule-store.ts'
import { iterateDates } from './upcoming-dates.ts'

/** The number of upcoming dates that can be skipped. It limits the list of skipped dates. */
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
  const occurrence = await selectOccurrenceOn(op, schedule.id, date)
  if (occurrence) throw createAlreadyDecidedError(date, occurrence.state)
  if (schedule.skipped_dates.includes(date)) throw createAlreadyDecidedError(date, 'SKIPPED')
  let checkedCount = 0
  for (const planned of iterateDates(schedule)) {
    checkedCount += 1
    if (planned.date > date || checkedCount > SKIPPED_WITHIN_DATES) break
    if (planned.date === date)
      return updateSchedule(op, schedule, [], { skipped_dates: [...schedule.skipped_dates, date].sort() })
  }
  throw createFieldError(
    'INVALID_INPUT',
    'date',
    `The schedule does not pay on this date, or the date is not among its next ${SKIPPED_WITHIN_DATES} dates.`,
  )
}

/** Skips the next date, which still counts toward the schedule's number of dates. */
async function skipNext(op: Op, schedule: PaymentScheduleRow): Promise<ChangedSchedule> {
  const skippedWrite = schedule.is_announced
    ? decideOccurrence(op, await findAnnouncedOccurrence(op, schedule), 'skip').write
    : insert(
        'payment_occurrences',
        decideOccurrence(op, newOccurrence(op, schedule, requireNextDate(schedule)), 'skip').row,
      )
  const { row, writes } = advanceSchedule(op, schedule)
  return { row, writes: [skippedWrite, ...writes] }
}

function createAlreadyDecidedError(date: string, state: string): ApiError {
  return new ApiError('INVALID_STATE_TRANSITION', {
    message: `The payment of ${date} is already ${state}.`,
    details: { field: 'date', status: state },
  })
}
