import type {
  PaymentOccurrenceState,
  PaymentScheduleState,
} from '@countersign/contract/states/schedule-states'
import type { Op } from '../../kernel/operation/app.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { PaymentOccurrenceRow, PaymentScheduleRow } from '../../storage/rows/payment-schedule.ts'

interface ScheduleFilters {
  readonly status?: PaymentScheduleState
  readonly customerId?: string
}

export function selectSchedules(op: Op, { status, customerId }: ScheduleFilters) {
  return op.read
    .selectFrom('payment_schedules')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'state', '=', status))
    .$call((q) => whereIfDefined(q, 'customer_id', '=', customerId))
}

export async function selectSchedule(op: Op, id: string): Promise<PaymentScheduleRow | undefined> {
  return selectSchedules(op, {}).where('id', '=', id).executeTakeFirst()
}

/** A customer's schedules that have not ended. */
export async function selectOpenSchedules(op: Op, customerId: string): Promise<PaymentScheduleRow[]> {
  return selectSchedules(op, { customerId }).where('ended_at', 'is', null).execute()
}

export function selectOccurrences(
  op: Op,
  scheduleId: string,
  { status }: { readonly status?: PaymentOccurrenceState },
) {
  return op.read
    .selectFrom('payment_occurrences')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('schedule_id', '=', scheduleId)
    .$call((q) => whereIfDefined(q, 'state', '=', status))
}

export async function selectOccurrenceOn(
  op: Op,
  scheduleId: string,
  date: string,
): Promise<PaymentOccurrenceRow | undefined> {
  return selectOccurrences(op, scheduleId, {}).where('date', '=', date).executeTakeFirst()
}
