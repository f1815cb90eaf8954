import {
  PAYMENT_OCCURRENCE_INITIAL,
  PAYMENT_OCCURRENCE_TRANSITIONS,
  PAYMENT_SCHEDULE_TRANSITIONS,
  type PaymentScheduleEvent,
} from '@countersign/contract/states/schedule-states'
import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { ApiError, StaleRead } from '../../kernel/operation/operation.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { PaymentOccurrenceRow, PaymentScheduleRow } from '../../storage/rows/payment-schedule.ts'
import { selectOccurrenceOn, selectOpenSchedulesOf } from './schedule-store.ts'
import { firstDate } from './timing.ts'
import { dateAfter, type Planned } from './upcoming-dates.ts'

/** A schedule after a change, and the writes of the change. */
export interface ChangedSchedule {
  readonly row: PaymentScheduleRow
  readonly writes: readonly Write[]
}

const OVER = { next_date: null, next_at: null, is_announced: false, skipped_dates: [] }

/** Changes a schedule. Guard: nobody has changed it in between. */
export function updateSchedule(
  op: Op,
  schedule: PaymentScheduleRow,
  by: PaymentScheduleEvent | [],
  change: Partial<PaymentScheduleRow> = {},
): ChangedSchedule {
  const { version } = schedule
  const set = { ...change, version: version + 1 }
  const { row, write } = transition(
    op,
    'payment_schedules',
    PAYMENT_SCHEDULE_TRANSITIONS,
    schedule,
    by,
    set,
    { version },
  )
  return { row, writes: [write] }
}

/**
 * Continues a schedule with a date, or with the first later one that is not skipped. Ends it if no date is
 * left.
 */
export function continueSchedule(
  op: Op,
  schedule: PaymentScheduleRow,
  by: 'approve' | 'resume' | [],
  from: Planned | undefined,
): ChangedSchedule {
  const skipped: Write[] = []
  let planned = from
  for (; planned && schedule.skipped_dates.includes(planned.date); planned = dateAfter(schedule, planned))
    skipped.push(
      insert('payment_occurrences', decideOccurrence(op, newOccurrence(op, schedule, planned), 'skip').row),
    )
  if (!planned) {
    const { row, writes } = updateSchedule(op, schedule, 'end', { ...OVER, ended_at: op.now })
    return { row, writes: [...writes, ...skipped] }
  }
  const { date, number, at } = planned
  const { row, writes } = updateSchedule(op, schedule, by, {
    next_date: date,
    next_number: number,
    next_at: at,
    is_announced: schedule.is_announced && date === schedule.next_date,
    skipped_dates: schedule.skipped_dates.filter((one) => one > date),
  })
  return { row, writes: [...writes, ...skipped, nextRun(op, row)] }
}

/** Continues a schedule with the date after its next one, which was paid, refused or skipped. */
export function advanceSchedule(op: Op, schedule: PaymentScheduleRow): ChangedSchedule {
  return continueSchedule(op, schedule, [], dateAfter(schedule, planOf(schedule)))
}

/**
 * Starts or resumes a schedule with its first date from now on. An announced date that has passed is skipped.
 * Error: 409 `INVALID_STATE_TRANSITION` if no dates remain.
 */
export async function startSchedule(
  op: Op,
  schedule: PaymentScheduleRow,
  by: 'approve' | 'resume',
): Promise<ChangedSchedule> {
  const { timing, is_announced: isAnnounced } = schedule
  const next = planOf(schedule)
  const isLate = next.at <= op.now
  // Never before the next date: earlier ones were paid or skipped.
  const first = isLate ? firstDate(timing, op.now) : next
  const hasPassed = isLate && isAnnounced
  const planned = first && { ...first, number: hasPassed ? next.number + 1 : next.number }
  if (!planned || (timing.count !== undefined && planned.number > timing.count))
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: 'No date of this schedule is left. Cancel it.',
      details: { status: schedule.state },
    })
  const passed = hasPassed ? [decideOccurrence(op, await findAnnounced(op, schedule), 'skip').write] : []
  const { row, writes } = continueSchedule(op, schedule, by, planned)
  return { row, writes: [...passed, ...writes] }
}

/** Ends a schedule before its last date. An announced payment is skipped. */
export async function endSchedule(
  op: Op,
  schedule: PaymentScheduleRow,
  by: 'cancel' | 'end',
): Promise<ChangedSchedule> {
  const skipped = schedule.is_announced
    ? [decideOccurrence(op, await findAnnounced(op, schedule), 'skip').write]
    : []
  const { row, writes } = updateSchedule(op, schedule, by, { ...OVER, ended_at: op.now })
  return { row, writes: [...writes, ...skipped] }
}

/** Ends a deleted customer's schedules. */
export async function endSchedulesOf(op: Op, customerId: string): Promise<readonly Write[]> {
  const schedules = await selectOpenSchedulesOf(op, customerId)
  const all = await Promise.all(schedules.map((schedule) => endSchedule(op, schedule, 'end')))
  return all.flatMap(({ writes }) => writes)
}

/** The next date's due work: its event or its payment. */
export function nextRun(op: Op, schedule: PaymentScheduleRow): Write {
  const { date, at } = planOf(schedule)
  const due = schedule.is_announced ? at : plusSeconds(at, -schedule.notice_seconds)
  return job(op, 'payment-schedule.run', { scheduleId: schedule.id, date }, due > op.now ? due : op.now)
}

/** An unfinished schedule's next date. */
export function planOf({
  id,
  next_date: date,
  next_at: at,
  next_number: number,
}: PaymentScheduleRow): Planned {
  if (date === null || at === null) throw new StaleRead(`${id} has no next date`)
  return { date, at, number }
}

export function newOccurrence(
  op: Op,
  { id }: PaymentScheduleRow,
  { date, number, at }: Planned,
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

/** Decides an announced payment. Guard: it was not decided in between. */
export function decideOccurrence(
  op: Op,
  row: PaymentOccurrenceRow,
  by: 'send' | 'fail' | 'skip' | 'miss',
  change: Partial<PaymentOccurrenceRow> = {},
) {
  return transition(op, 'payment_occurrences', PAYMENT_OCCURRENCE_TRANSITIONS, row, by, change)
}

/** The row of the announced next date. */
export async function findAnnounced(op: Op, schedule: PaymentScheduleRow): Promise<PaymentOccurrenceRow> {
  const found = await selectOccurrenceOn(op, schedule.id, planOf(schedule).date)
  if (!found) throw new StaleRead(`${schedule.id} has not announced its next date`)
  return found
}
