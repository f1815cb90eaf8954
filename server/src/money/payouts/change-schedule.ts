import {
  PAYMENT_OCCURRENCE_INITIAL,
  PAYMENT_OCCURRENCE_TRANSITIONS,
  PAYMENT_SCHEDULE_TRANSITIONS,
  type PaymentScheduleEvent,
} from '@countersign/contract/states/schedule-states'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError, StaleRead } from '../../kernel/operation/operation.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { PaymentOccurrenceRow, PaymentScheduleRow } from '../../storage/rows/payment-schedule.ts'
import { selectOccurrenceOn, selectOpenSchedules } from './schedule-store.ts'
import { findFirstDate } from './timing.ts'
import { type PlannedDate, planNextDate } from './upcoming-dates.ts'

/** A changed schedule, with the writes of the change. */
export interface ChangedSchedule {
  readonly row: PaymentScheduleRow
  readonly writes: readonly Write[]
}

const NO_NEXT_DATE = { next_date: null, next_at: null, is_announced: false, skipped_dates: [] }

/** Changes a schedule. Guard: the schedule is unchanged. */
export function updateSchedule(
  op: Op,
  schedule: PaymentScheduleRow,
  scheduleEvent: PaymentScheduleEvent | [],
  change: Partial<PaymentScheduleRow> = {},
): ChangedSchedule {
  const { version } = schedule
  const set = { ...change, version: version + 1 }
  const { row, write } = transition(
    op,
    'payment_schedules',
    PAYMENT_SCHEDULE_TRANSITIONS,
    schedule,
    scheduleEvent,
    set,
    { version },
  )
  return { row, writes: [write] }
}

/**
 * Continues a schedule with the first date from `from` on that is not skipped. Ends the schedule if no date
 * is left.
 */
export function continueSchedule(
  op: Op,
  schedule: PaymentScheduleRow,
  scheduleEvent: 'approve' | 'resume' | [],
  from: PlannedDate | undefined,
): ChangedSchedule {
  const skipped: Write[] = []
  let planned = from
  for (; planned && schedule.skipped_dates.includes(planned.date); planned = planNextDate(schedule, planned))
    skipped.push(
      insert('payment_occurrences', decideOccurrence(op, newOccurrence(op, schedule, planned), 'skip').row),
    )
  if (!planned) {
    const { row, writes } = updateSchedule(op, schedule, 'end', { ...NO_NEXT_DATE, ended_at: op.now })
    return { row, writes: [...writes, ...skipped] }
  }
  const { date, number, at } = planned
  const { row, writes } = updateSchedule(op, schedule, scheduleEvent, {
    next_date: date,
    next_number: number,
    next_at: at,
    is_announced: schedule.is_announced && date === schedule.next_date,
    skipped_dates: schedule.skipped_dates.filter((skippedDate) => skippedDate > date),
  })
  return { row, writes: [...writes, ...skipped, scheduleNextRun(op, row)] }
}

/** Moves a schedule past its next date after that date was paid, refused or skipped. */
export function advanceSchedule(op: Op, schedule: PaymentScheduleRow): ChangedSchedule {
  return continueSchedule(op, schedule, [], planNextDate(schedule, requireNextDate(schedule)))
}

/**
 * Starts or resumes a schedule at its first date from now on. If its next date has passed, an announced
 * payment for it is skipped. Throws 409 `INVALID_STATE_TRANSITION` if no dates are left.
 */
export async function startSchedule(
  op: Op,
  schedule: PaymentScheduleRow,
  scheduleEvent: 'approve' | 'resume',
): Promise<ChangedSchedule> {
  const { timing, is_announced: isAnnounced } = schedule
  const next = requireNextDate(schedule)
  const isLate = next.at <= op.now
  // Dates before the next date were already paid or skipped.
  const first = isLate ? findFirstDate(timing, op.now) : next
  const hasPassed = isLate && isAnnounced
  const planned = first && { ...first, number: hasPassed ? next.number + 1 : next.number }
  if (!planned || (timing.count !== undefined && planned.number > timing.count))
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: 'This schedule has no dates left. Cancel it.',
      details: { status: schedule.state },
    })
  const skippedOccurrence = hasPassed
    ? [decideOccurrence(op, await findAnnouncedOccurrence(op, schedule), 'skip').write]
    : []
  const { row, writes } = continueSchedule(op, schedule, scheduleEvent, planned)
  return { row, writes: [...skippedOccurrence, ...writes] }
}

/** Ends a schedule early, and skips its announced payment. */
export async function endSchedule(
  op: Op,
  schedule: PaymentScheduleRow,
  scheduleEvent: 'cancel' | 'end',
): Promise<ChangedSchedule> {
  const skipped = schedule.is_announced
    ? [decideOccurrence(op, await findAnnouncedOccurrence(op, schedule), 'skip').write]
    : []
  const { row, writes } = updateSchedule(op, schedule, scheduleEvent, { ...NO_NEXT_DATE, ended_at: op.now })
  return { row, writes: [...writes, ...skipped] }
}

/** Ends all schedules of a deleted customer. */
export async function endCustomerSchedules(op: Op, customerId: string): Promise<readonly Write[]> {
  const schedules = await selectOpenSchedules(op, customerId)
  const endings = await Promise.all(schedules.map((schedule) => endSchedule(op, schedule, 'end')))
  return endings.flatMap(({ writes }) => writes)
}

/** Creates the job that announces the payment for the next date or, after the announcement, makes it. */
export function scheduleNextRun(op: Op, schedule: PaymentScheduleRow): Write {
  const { date, at } = requireNextDate(schedule)
  const due = schedule.is_announced ? at : addSeconds(at, -schedule.notice_seconds)
  return job(op, 'payment-schedule.run', { scheduleId: schedule.id, date }, due > op.now ? due : op.now)
}

/** The next date of a schedule that has not ended. */
export function requireNextDate({
  id,
  next_date: date,
  next_at: at,
  next_number: number,
}: PaymentScheduleRow): PlannedDate {
  if (date === null || at === null) throw new StaleRead(`${id} has no next date`)
  return { date, at, number }
}

export function newOccurrence(
  op: Op,
  { id }: PaymentScheduleRow,
  { date, number, at }: PlannedDate,
): PaymentOccurrenceRow {
  return {
    id: op.newId('PaymentOccurrence'),
    platform_id: op.platform.id,
    schedule_id: id,
    number,
    date,
    pays_at: at,
    state: PAYMENT_OCCURRENCE_INITIAL,
    code: null,
    message: null,
    field: null,
    transaction_id: null,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** Moves an announced payment to its outcome. Guard: the payment has no outcome yet. */
export function decideOccurrence(
  op: Op,
  row: PaymentOccurrenceRow,
  scheduleEvent: 'send' | 'fail' | 'skip' | 'miss',
  change: Partial<PaymentOccurrenceRow> = {},
) {
  return transition(op, 'payment_occurrences', PAYMENT_OCCURRENCE_TRANSITIONS, row, scheduleEvent, change)
}

/** The announced payment for the next date. */
export async function findAnnouncedOccurrence(
  op: Op,
  schedule: PaymentScheduleRow,
): Promise<PaymentOccurrenceRow> {
  const occurrence = await selectOccurrenceOn(op, schedule.id, requireNextDate(schedule).date)
  if (!occurrence) throw new StaleRead(`${schedule.id} has not announced its next date`)
  return occurrence
}
