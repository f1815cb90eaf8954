import { describeSchedule } from '@countersign/contract/payments/schedule-words'
import type { ItemOf } from '@countersign/sdk'
import { findCurrency, formatAmount } from '../terminal/amounts.ts'

type Schedule = ItemOf<'payment_schedule_list'>
type Occurrence = ItemOf<'payment_occurrence_list'>

/** Formats a payment schedule for the terminal. */
export function formatSchedule(schedule: Schedule): string[] {
  const { id, status, name, amount, payee, upcoming, skippedDates } = schedule
  const to = payee === undefined ? '' : ` to ${payee.name ?? payee.account}`
  return [
    `${id}  ${status}${name === undefined ? '' : `  ${name}`}`,
    `  ${formatAmount(amount.amount, findCurrency(amount.currency.code))}${to}`,
    `  ${describeSchedule(schedule)}`,
    ...(upcoming.length > 0 ? [`  next: ${upcoming.map(({ date }) => date).join(', ')}`] : []),
    ...(skippedDates.length > 0 ? [`  skipped: ${skippedDates.join(', ')}`] : []),
    ...(status === 'AWAITING_APPROVAL' ? ['  Members must approve it before it pays.'] : []),
  ]
}

export function formatOccurrence({ number, date, status, transactionId, error }: Occurrence): string {
  const result = transactionId ?? (error ? `${error.code}: ${error.message}` : '')
  return `${number}  ${date}  ${status}  ${result}`.trimEnd()
}
