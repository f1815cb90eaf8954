import type { BodyOf } from '@countersign/contract/core/endpoint'
import type { payment_schedule_create } from '@countersign/contract/payments/payment-schedules'
import { PAYMENT_SCHEDULE_INITIAL } from '@countersign/contract/states/schedule-states'
import { DateTime } from 'luxon'
import { requireValue } from '../../base/formats/require-value.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import { checkTimeZone } from '../../kernel/operation/time-zones.ts'
import type { PaymentScheduleRow, ScheduleTiming } from '../../storage/rows/payment-schedule.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { BANK_TIME_ZONES } from '../rails/bank-holidays.ts'
import { draftPayment } from '../transfers/transfer-out.ts'
import { findParties } from '../transfers/transfers.ts'
import { findFirstDate, type PaymentDate } from './timing.ts'

type ScheduleBody = BodyOf<typeof payment_schedule_create>

const NOTICE_SECONDS = 24 * 3600
const DEFAULT_TIME = '09:00'
/** The first payment must be within ten years, so that its time can be stored. */
const FIRST_WITHIN_SECONDS = 10 * 366 * 24 * 3600

const CALENDARS: Readonly<Record<string, ScheduleTiming['calendar']>> = {
  EUR: 'TARGET',
  USD: 'FEDERAL_RESERVE',
}
const TIME_ZONES: Readonly<Record<ScheduleTiming['calendar'], string>> = {
  ...BANK_TIME_ZONES,
  WEEKDAYS: 'UTC',
}

/** A checked schedule that is not stored yet. */
export interface NewSchedule {
  readonly row: PaymentScheduleRow
  /** The account that pays. */
  readonly account: InternalAccountRow
}

/**
 * Checks a schedule's dates, and its payment like an immediate transfer out, except for the balance. Throws
 * the same errors as POST /transfer-out.
 */
export async function draftSchedule(op: Op, body: ScheduleBody): Promise<NewSchedule> {
  const { source, destination, amount, remittanceInformation } = body
  const parties = await findParties(op, source.accountId, 'source', destination.accountId, 'destination')
  const { transaction, account } = await draftPayment(op, parties, {
    amount,
    destination,
    ...(remittanceInformation === undefined ? {} : { remittanceInformation }),
  })
  const timing = buildTiming(op, body, account.currency)
  const first = checkDates(op, timing)
  const row: PaymentScheduleRow = {
    id: op.newId('PaymentSchedule'),
    platform_id: op.platform.id,
    customer_id: account.customer_id,
    state: PAYMENT_SCHEDULE_INITIAL,
    name: body.name ?? null,
    source_account_id: account.id,
    destination_account_id: parties.external.id,
    amount,
    currency: account.currency,
    payment_rail: transaction.payment_rail,
    remittance_information: remittanceInformation ?? null,
    timing,
    notice_seconds: body.noticeSeconds ?? NOTICE_SECONDS,
    if_missed: body.ifMissed ?? 'PAY',
    next_date: first.date,
    next_number: 1,
    next_at: first.at,
    is_announced: false,
    skipped_dates: [],
    version: 1,
    ended_at: null,
    created_at: op.now,
    updated_at: op.now,
  }
  return { row, account }
}

function buildTiming(op: Op, body: ScheduleBody, currency: string): ScheduleTiming {
  const { rule, endDate, count, time = DEFAULT_TIME, businessDays = 'NONE' } = body
  if (rule.type === 'ONCE')
    for (const field of ['startDate', 'endDate', 'count'] as const)
      if (body[field] !== undefined)
        throw createFieldError('INVALID_INPUT', field, `A one-time payment cannot have ${field}.`)
  const calendar = body.calendar ?? CALENDARS[currency] ?? 'WEEKDAYS'
  const timeZone = body.timeZone ?? TIME_ZONES[calendar]
  checkTimeZone(timeZone)
  const today = requireValue(DateTime.fromJSDate(op.now, { zone: timeZone }).toISODate(), 'date of today')
  return {
    rule,
    startDate: body.startDate ?? today,
    ...(endDate === undefined ? {} : { endDate }),
    ...(count === undefined ? {} : { count }),
    time,
    timeZone,
    businessDays,
    calendar,
  }
}

function checkDates(op: Op, timing: ScheduleTiming): PaymentDate {
  const first = findFirstDate(timing, op.now)
  if (!first) throw createFieldError('INVALID_INPUT', 'rule', 'This rule has no dates in the future.')
  if (first.at > addSeconds(op.now, FIRST_WITHIN_SECONDS))
    throw createFieldError('INVALID_INPUT', 'rule', 'The first payment must be within ten years.')
  return first
}
