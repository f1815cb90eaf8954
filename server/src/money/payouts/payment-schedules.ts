import { isKnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import type { SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type {
  payment_occurrence_list,
  payment_schedule_get,
} from '@countersign/contract/payments/payment-schedules'
import {
  PAYMENT_SCHEDULE_TRANSITIONS,
  type PaymentScheduleEvent,
} from '@countersign/contract/states/schedule-states'
import { describeShortly, getHolderName } from '../../kernel/accounts/external-account-names.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { checkEvent } from '../../kernel/operation/transition.ts'
import type { PaymentOccurrenceRow, PaymentScheduleRow } from '../../storage/rows/payment-schedule.ts'
import { findExternalAccountEvenIfDeleted } from '../external-accounts/external-accounts.ts'
import { selectSchedule } from './schedule-store.ts'
import { listUpcomingDates } from './upcoming-dates.ts'

type ScheduleView = SuccessOf<typeof payment_schedule_get>['body']
type OccurrenceView = SuccessOf<typeof payment_occurrence_list>['body']['data'][number]

const UPCOMING_MAX = 5

/** Throws 404 `PAYMENT_SCHEDULE_NOT_FOUND`. */
export async function findSchedule(op: Op, id: string): Promise<PaymentScheduleRow> {
  const schedule = await selectSchedule(op, id)
  if (!schedule) throw new ApiError('PAYMENT_SCHEDULE_NOT_FOUND', { details: { field: 'paymentScheduleId' } })
  return schedule
}

/** Throws 409 `INVALID_STATE_TRANSITION` if the event is impossible in the schedule's state. */
export function checkTransition({ state }: PaymentScheduleRow, scheduleEvent: PaymentScheduleEvent): void {
  checkEvent(
    PAYMENT_SCHEDULE_TRANSITIONS,
    state,
    scheduleEvent,
    `A schedule that is ${state} does not allow this.`,
  )
}

/** The payee of a schedule, as the API shows it. */
export async function schedulePayeeView(op: Op, { destination_account_id: id }: PaymentScheduleRow) {
  const account = await findExternalAccountEvenIfDeleted(op, id)
  return account && present({ name: getHolderName(account), account: describeShortly(account) })
}

export async function scheduleView(op: Op, row: PaymentScheduleRow): Promise<ScheduleView> {
  const { timing } = row
  const canPay = row.state === 'ACTIVE' || row.state === 'AWAITING_APPROVAL'
  return present({
    id: row.id,
    status: row.state,
    name: row.name,
    customerId: row.customer_id,
    ...(await listPaymentParts(op, row)),
    remittanceInformation: row.remittance_information,
    rule: timing.rule,
    startDate: timing.startDate,
    endDate: timing.endDate,
    count: timing.count,
    time: timing.time,
    timeZone: timing.timeZone,
    businessDays: timing.businessDays,
    calendar: timing.calendar,
    noticeSeconds: row.notice_seconds,
    ifMissed: row.if_missed,
    upcoming: canPay
      ? listUpcomingDates(row, UPCOMING_MAX).map(({ date, at }) => ({ date, paysAt: at.toISOString() }))
      : [],
    skippedDates: row.skipped_dates,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    endedAt: row.ended_at?.toISOString(),
  })
}

export async function toOccurrenceView(
  op: Op,
  schedule: PaymentScheduleRow,
  row: PaymentOccurrenceRow,
): Promise<OccurrenceView> {
  const { code, message, field } = row
  return present({
    id: row.id,
    paymentScheduleId: row.schedule_id,
    status: row.state,
    number: row.number,
    date: row.date,
    paysAt: row.pays_at.toISOString(),
    name: schedule.name,
    ...(await listPaymentParts(op, schedule)),
    transactionId: row.transaction_id,
    error: code === null || message === null ? undefined : present({ code, message, field }),
  })
}

/** The accounts and the amount of a schedule's payments, as the API shows them. */
async function listPaymentParts(op: Op, row: PaymentScheduleRow) {
  const { amount, currency } = row
  if (!isKnownCurrency(currency)) throw new Error(`Unknown currency in a payment schedule: ${currency}`)
  return {
    source: { accountId: row.source_account_id },
    destination: present({ accountId: row.destination_account_id, paymentRail: row.payment_rail }),
    payee: await schedulePayeeView(op, row),
    amount: { amount, currency: toCurrencyRecord(currency) },
  }
}
