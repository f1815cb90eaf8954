import type { WEEKDAYS } from '@countersign/contract/core/formats'
import type {
  BUSINESS_DAY_CONVENTIONS,
  PaymentRuleValue,
} from '@countersign/contract/payments/payment-schedules'

export const RULE_TYPES = ['MONTHLY', 'WEEKLY', 'DAILY', 'ONCE'] as const

/** The form fields, as typed. */
export interface ScheduleDraft {
  readonly name: string
  readonly sourceId: string
  readonly destinationId: string
  readonly amount: string
  readonly type: (typeof RULE_TYPES)[number]
  readonly date: string
  readonly day: string
  readonly weekday: (typeof WEEKDAYS)[number]
  readonly time: string
  readonly businessDays: (typeof BUSINESS_DAY_CONVENTIONS)[number]
  readonly needsApproval: boolean
}

export const EMPTY_DRAFT: ScheduleDraft = {
  name: '',
  sourceId: '',
  destinationId: '',
  amount: '',
  type: 'MONTHLY',
  date: '',
  day: '31',
  weekday: 'MON',
  time: '09:00',
  businessDays: 'PRECEDING',
  needsApproval: false,
}

/** Days of the month as options. */
export const MONTH_DAYS = Array.from({ length: 31 }, (_, index) => ({
  value: String(index + 1),
  label: index === 30 ? 'Last day' : `Day ${index + 1}`,
}))

export function buildRule({ type, date, day, weekday }: ScheduleDraft): PaymentRuleValue {
  switch (type) {
    case 'ONCE':
      return { type, date }
    case 'DAILY':
      return { type }
    case 'WEEKLY':
      return { type, weekdays: [weekday] }
    case 'MONTHLY':
      return { type, day: Number(day) }
  }
}
