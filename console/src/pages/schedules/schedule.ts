import type {
  PaymentOccurrence as PaymentOccurrenceSchema,
  PaymentSchedule as PaymentScheduleSchema,
} from '@countersign/contract/payments/payment-schedules'
import type { Static } from 'typebox'

export type PaymentSchedule = Static<typeof PaymentScheduleSchema>
export type PaymentOccurrence = Static<typeof PaymentOccurrenceSchema>

/** Describes the payee to a person. */
export function describePayee({ payee }: Pick<PaymentSchedule, 'payee'>): string {
  if (payee === undefined) return 'Unknown'
  return payee.name === undefined ? payee.account : `${payee.name}, ${payee.account}`
}
