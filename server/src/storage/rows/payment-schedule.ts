import type { PaymentRailName } from '@countersign/contract/core/rails'
import type {
  BUSINESS_DAY_CALENDARS,
  BUSINESS_DAY_CONVENTIONS,
  MISSED_PAYMENT_RULES,
  PaymentRuleValue,
} from '@countersign/contract/payments/payment-schedules'
import type {
  PaymentOccurrenceState,
  PaymentScheduleState,
} from '@countersign/contract/states/schedule-states'
import type { Stamped } from './stamped.ts'

/** When a schedule pays. Dates are `YYYY-MM-DD` and times `HH:MM`, on the clock of `timeZone`. */
export interface ScheduleTiming {
  readonly rule: PaymentRuleValue
  readonly startDate: string
  readonly endDate?: string
  readonly count?: number
  readonly time: string
  readonly timeZone: string
  readonly businessDays: (typeof BUSINESS_DAY_CONVENTIONS)[number]
  readonly calendar: (typeof BUSINESS_DAY_CALENDARS)[number]
}

/** A payment at a time or by a rule. */
export interface PaymentScheduleRow extends Stamped {
  id: string
  platform_id: string
  /** The owner of both accounts; null for the platform. */
  customer_id: string | null
  state: PaymentScheduleState
  name: string | null
  source_account_id: string
  destination_account_id: string
  amount: bigint
  currency: string
  payment_rail: PaymentRailName | null
  remittance_information: string | null
  timing: ScheduleTiming
  notice_seconds: number
  if_missed: (typeof MISSED_PAYMENT_RULES)[number]
  /** The next date, its place from 1, and its time. The date is null once the schedule is over. */
  next_date: string | null
  next_number: number
  next_at: Date | null
  /** True: the next date has its row in `payment_occurrences`. */
  is_announced: boolean
  /** Later dates to skip. */
  skipped_dates: string[]
  /** Counts the changes. Every change is guarded by it. */
  version: number
  ended_at: Date | null
}

/** One payment of a schedule. A schedule has one for each date at most. */
export interface PaymentOccurrenceRow extends Stamped {
  id: string
  platform_id: string
  schedule_id: string
  /** Its place, from 1. Unique in its schedule, as the date is. */
  number: number
  date: string
  pays_at: Date
  state: PaymentOccurrenceState
  /** Of one that is FAILED. */
  code: string | null
  message: string | null
  field: string | null
  transaction_id: string | null
}

export interface PaymentScheduleTables {
  payment_schedules: PaymentScheduleRow
  payment_occurrences: PaymentOccurrenceRow
}
