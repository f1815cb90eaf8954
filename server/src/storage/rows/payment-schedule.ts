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

/** When a schedule pays. Dates are `YYYY-MM-DD` and times `HH:MM`, in `timeZone`. */
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

/** A payment planned for one time, or repeated by a rule. */
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
  /**
   * The next date, its number (from 1), and the time of payment. The date is null once the schedule has
   * ended.
   */
  next_date: string | null
  next_number: number
  next_at: Date | null
  /** True if the next date already has a row in `payment_occurrences`. */
  is_announced: boolean
  /** Future dates to skip. */
  skipped_dates: string[]
  /** The number of changes. Every change is guarded by it. */
  version: number
  ended_at: Date | null
}

/** One payment of a schedule. There is at most one per date. */
export interface PaymentOccurrenceRow extends Stamped {
  id: string
  platform_id: string
  schedule_id: string
  /** The number of the date, starting at 1. Unique in its schedule, like the date. */
  number: number
  date: string
  pays_at: Date
  state: PaymentOccurrenceState
  /** Set if the payment is FAILED. */
  code: string | null
  message: string | null
  field: string | null
  transaction_id: string | null
}

export interface PaymentScheduleTables {
  payment_schedules: PaymentScheduleRow
  payment_occurrences: PaymentOccurrenceRow
}
