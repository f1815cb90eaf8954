import { type Static, Type } from 'typebox'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { CalendarDate, TimeOfDay, TimeZoneName, WEEKDAYS } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { Int64, OneOf, OneOfWords, Page, pageQuery, Tag, Text, Timestamp } from '../core/schema.ts'
import { Plain } from '../core/sensitivity.ts'
import { PAYMENT_OCCURRENCE_STATES, PAYMENT_SCHEDULE_STATES } from '../states/schedule-states.ts'
import {
  ExternalAccountDestinationReference,
  InternalAccountReference,
  REMITTANCE_CHARACTERS_MAX,
  TransferRefusal,
} from './transfers.ts'

const TAG = 'Scheduled payments'

export const BUSINESS_DAY_CONVENTIONS = ['NONE', 'FOLLOWING', 'PRECEDING'] as const
export const BUSINESS_DAY_CALENDARS = ['TARGET', 'FEDERAL_RESERVE', 'WEEKDAYS'] as const
export const MISSED_PAYMENT_RULES = ['PAY', 'SKIP'] as const

export const PAYMENT_COUNT_MAX = 10_000
/** Maximum time between the notice event and the payment. */
export const NOTICE_SECONDS_MAX = 30 * 24 * 3600

const day = (description: string) => Plain(Type.String({ format: 'date', description }))

export const OneTimeRule = Type.Object({ type: Tag('ONCE'), date: Plain(CalendarDate) })
export const DailyRule = Type.Object({ type: Tag('DAILY') })
export const WeeklyRule = Type.Object({
  type: Tag('WEEKLY'),
  weekdays: Type.Array(OneOfWords(WEEKDAYS), { minItems: 1, maxItems: 7, uniqueItems: true }),
})
export const MonthlyRule = Type.Object({
  type: Tag('MONTHLY'),
  day: Type.Integer({
    minimum: 1,
    maximum: 31,
    description: 'The day of the month. A shorter month uses its last day, so 31 is always the last day',
  }),
})

const rule = OneOf('type', [OneTimeRule, DailyRule, WeeklyRule, MonthlyRule])
export type PaymentRuleValue = Static<typeof rule>

const startDate = day('The first possible date. Default: the day of creation')
const endDate = day('The last possible date')
const count = Type.Integer({
  minimum: 1,
  maximum: PAYMENT_COUNT_MAX,
  description:
    'The number of dates after which the schedule ends. Skipped dates count; dates that pass during a pause do not',
})
const time = TimeOfDay('The time of day of each payment, in timeZone')
const timeZone = TimeZoneName('The IANA name of the time zone')
const businessDays = OneOfWords(
  BUSINESS_DAY_CONVENTIONS,
  'The day of a payment whose date is not a business day. FOLLOWING: the next business day. PRECEDING: the previous business day. NONE: the date itself',
)
const calendar = OneOfWords(
  BUSINESS_DAY_CALENDARS,
  'The calendar of business days. WEEKDAYS: Monday to Friday, without holidays',
)
const ifMissed = OneOfWords(
  MISSED_PAYMENT_RULES,
  'The handling of a payment for which the server is more than an hour late. PAY: it is paid late, once. SKIP: it becomes MISSED',
)
const noticeSeconds = Type.Integer({
  minimum: 0,
  maximum: NOTICE_SECONDS_MAX,
  description: 'The number of seconds before each payment at which PAYMENT_SCHEDULE.UPCOMING is sent',
})
const name = Text(100, { description: 'The name of the schedule, for people' })
const remittanceInformation = Text(REMITTANCE_CHARACTERS_MAX, { description: 'Sent with each payment' })

export const PaymentScheduleRequest = Type.Object({
  name: Type.Optional(name),
  source: InternalAccountReference,
  destination: ExternalAccountDestinationReference,
  amount: Int64({
    exclusiveMinimum: 0,
    description: "The amount of each payment, in the smallest unit of the accounts' currency",
  }),
  remittanceInformation: Type.Optional(remittanceInformation),
  rule,
  startDate: Type.Optional(startDate),
  endDate: Type.Optional(endDate),
  count: Type.Optional(count),
  time: Type.Optional(TimeOfDay('The time of day of each payment, in timeZone. Default: 09:00')),
  timeZone: Type.Optional(
    TimeZoneName(
      'The IANA name of the time zone. Default: Europe/Berlin for TARGET, America/New_York for FEDERAL_RESERVE, otherwise UTC',
    ),
  ),
  businessDays: Type.Optional(businessDays),
  calendar: Type.Optional(
    OneOfWords(
      BUSINESS_DAY_CALENDARS,
      'The calendar of business days. Default: TARGET for EUR, FEDERAL_RESERVE for USD, otherwise WEEKDAYS, Monday to Friday',
    ),
  ),
  noticeSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: NOTICE_SECONDS_MAX,
      description:
        'The number of seconds before each payment at which PAYMENT_SCHEDULE.UPCOMING is sent. Default: one day',
    }),
  ),
  ifMissed: Type.Optional(ifMissed),
  needsApproval: Type.Optional(
    Type.Boolean({
      description: 'True: requires an approval even if the platform has not set approvalsRequired',
    }),
  ),
})

export const ScheduledPayee = Type.Object({
  name: Type.Optional(Text(255)),
  account: Text(255, { description: "The account's type and last four characters" }),
})

/** A date on which a schedule makes a payment. */
export const PaymentDate = Type.Object({
  date: day('The day of the payment, adjusted to a business day'),
  paysAt: Timestamp('The time of the payment'),
})

export const PaymentSchedule = Type.Object({
  id: Id('PaymentSchedule'),
  status: OneOfWords(
    PAYMENT_SCHEDULE_STATES,
    'AWAITING_APPROVAL: members must approve it first. ENDED: its last date has passed, or its customer was deleted',
  ),
  name: Type.Optional(name),
  customerId: Type.Optional(Id('Customer', 'The owner of both accounts. Absent for the platform')),
  source: InternalAccountReference,
  destination: ExternalAccountDestinationReference,
  payee: Type.Optional(ScheduledPayee),
  amount: CurrencyAmount,
  remittanceInformation: Type.Optional(remittanceInformation),
  rule,
  startDate: Type.Optional(startDate),
  endDate: Type.Optional(endDate),
  count: Type.Optional(count),
  time,
  timeZone,
  businessDays,
  calendar,
  noticeSeconds,
  ifMissed,
  upcoming: Type.Array(PaymentDate, {
    description:
      'The next payment dates, at most five. Empty unless the schedule is ACTIVE or AWAITING_APPROVAL',
  }),
  skippedDates: Type.Array(day('A future date that is skipped')),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
  endedAt: Type.Optional(Timestamp('The time at which it ended or was canceled')),
})

/** A payment made by a schedule. */
export const PaymentOccurrence = Type.Object({
  id: Id('PaymentOccurrence'),
  paymentScheduleId: Id('PaymentSchedule'),
  status: OneOfWords(
    PAYMENT_OCCURRENCE_STATES,
    'UPCOMING: its event was sent. SENT: its payment was accepted. FAILED: its payment was refused. MISSED: the server was more than an hour late, and ifMissed is SKIP',
  ),
  number: Type.Integer({ minimum: 1, description: 'Its number within the schedule' }),
  date: day('The day of the payment, adjusted to a business day'),
  paysAt: Timestamp('The scheduled time of payment'),
  name: Type.Optional(name),
  source: InternalAccountReference,
  destination: ExternalAccountDestinationReference,
  payee: Type.Optional(ScheduledPayee),
  amount: CurrencyAmount,
  transactionId: Type.Optional(Id('Transaction', 'The payment')),
  error: Type.Optional(TransferRefusal),
})

const schedulePath = Type.Object({ paymentScheduleId: PathId })

/** Declarations shared by the calls that change a schedule. */
const change = { auth: 'platform', method: 'POST', tag: TAG, idempotent: true, params: schedulePath } as const

export const payment_schedule_create = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/payment-schedules',
  tag: TAG,
  summary: 'Create a payment schedule',
  description:
    'Schedules a payment, once or by a rule. Each payment is a transfer out from an internal account of ' +
    'the platform or of a customer to an external account of the same owner, with the limits and checks ' +
    'of POST /transfer-out. Everything except the balance is also checked when the schedule is created. ' +
    'A schedule pays at most once a day. If the platform has set approvalsRequired, or needsApproval is ' +
    'true, it is AWAITING_APPROVAL until members have approved it. Schedules cannot pay from an embedded ' +
    'wallet, which must sign each payment.',
  idempotent: true,
  body: PaymentScheduleRequest,
  responses: { 201: PaymentSchedule },
  errors: [
    'INVALID_INPUT',
    'INVALID_AMOUNT',
    'INVALID_CURRENCY',
    'AMOUNT_OUT_OF_RANGE',
    'USER_NOT_READY',
    'ACCOUNT_NOT_FOUND',
    'EXTERNAL_ACCOUNT_UNDER_REVIEW',
    'EXTERNAL_ACCOUNT_INACTIVE',
    'CUSTOMER_DELETED',
    'NOT_IMPLEMENTED',
    'UNAVAILABLE',
  ],
})

export const payment_schedule_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/payment-schedules',
  tag: TAG,
  summary: 'List payment schedules',
  description: 'Lists the schedules of the platform and its customers with their next dates, newest first.',
  query: Type.Object({
    status: Type.Optional(OneOfWords(PAYMENT_SCHEDULE_STATES)),
    customerId: Type.Optional(Id('Customer')),
    ...pageQuery,
  }),
  responses: { 200: Page(PaymentSchedule) },
  errors: ['INVALID_INPUT'],
})

export const payment_schedule_csv = endpoint(fileOfList(payment_schedule_list, 'payment schedules'))

export const payment_schedule_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/payment-schedules/{paymentScheduleId}',
  tag: TAG,
  summary: 'Read a payment schedule',
  description: 'Shows a schedule with its rule, its state and its next payment dates.',
  params: schedulePath,
  responses: { 200: PaymentSchedule },
  errors: ['PAYMENT_SCHEDULE_NOT_FOUND'],
})

export const payment_occurrence_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/payment-schedules/{paymentScheduleId}/occurrences',
  tag: TAG,
  summary: 'List the payments of a schedule',
  description:
    'Lists the payments that were announced, sent or missed, newest first, each with its transaction or the reason for its refusal.',
  params: schedulePath,
  query: Type.Object({ status: Type.Optional(OneOfWords(PAYMENT_OCCURRENCE_STATES)), ...pageQuery }),
  responses: { 200: Page(PaymentOccurrence) },
  errors: ['INVALID_INPUT', 'PAYMENT_SCHEDULE_NOT_FOUND'],
})

export const payment_occurrence_csv = endpoint({
  ...fileOfList(payment_occurrence_list, 'payments of a schedule'),
  params: schedulePath,
})

export const payment_schedule_approve = endpoint({
  ...change,
  permission: 'APPROVE',
  movesHeldMoney: true,
  path: '/payment-schedules/{paymentScheduleId}/approve',
  summary: 'Approve a payment schedule',
  description:
    'Approves a schedule that is AWAITING_APPROVAL. The last approval that the platform requires makes ' +
    'it ACTIVE. Dates that have passed by then are not paid. If the platform has set approvalsRequired, ' +
    'only members can approve, and each counts once.',
  responses: { 200: PaymentSchedule },
  errors: ['FORBIDDEN', 'PAYMENT_SCHEDULE_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const payment_schedule_skip = endpoint({
  ...change,
  permission: 'TRANSACT',
  path: '/payment-schedules/{paymentScheduleId}/skip',
  summary: 'Skip a payment of a schedule',
  description:
    'Skips the next payment, or the one on the given date, unless it has been paid. Other payments are not affected.',
  body: Type.Object({
    date: Type.Optional(day('One of the next 400 dates of the schedule. Default: the next date')),
  }),
  responses: { 200: PaymentSchedule },
  errors: ['INVALID_INPUT', 'PAYMENT_SCHEDULE_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const payment_schedule_pause = endpoint({
  ...change,
  permission: 'TRANSACT',
  path: '/payment-schedules/{paymentScheduleId}/pause',
  summary: 'Pause a payment schedule',
  description:
    'Pauses payments until the schedule is resumed. Dates that pass in the meantime are not paid later.',
  responses: { 200: PaymentSchedule },
  errors: ['PAYMENT_SCHEDULE_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const payment_schedule_resume = endpoint({
  ...change,
  permission: 'TRANSACT',
  path: '/payment-schedules/{paymentScheduleId}/resume',
  summary: 'Resume a payment schedule',
  description:
    'Continues a paused schedule with its next date from now on. Its payments are already approved, so no new approval is needed.',
  responses: { 200: PaymentSchedule },
  errors: ['PAYMENT_SCHEDULE_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const payment_schedule_cancel = endpoint({
  ...change,
  permission: 'TRANSACT',
  path: '/payment-schedules/{paymentScheduleId}/cancel',
  summary: 'Cancel a payment schedule',
  description:
    'Ends a schedule: nothing more is paid. Payments that were already accepted continue; cancel them individually if their rail supports it.',
  responses: { 200: PaymentSchedule },
  errors: ['PAYMENT_SCHEDULE_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const paymentSchedules = {
  payment_schedule_create,
  payment_schedule_list,
  payment_schedule_csv,
  payment_schedule_get,
  payment_occurrence_list,
  payment_occurrence_csv,
  payment_schedule_approve,
  payment_schedule_skip,
  payment_schedule_pause,
  payment_schedule_resume,
  payment_schedule_cancel,
}
