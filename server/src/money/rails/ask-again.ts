import { requireValue } from '../../base/formats/require-value.ts'
import { plusSeconds } from '../../kernel/operation/app.ts'

/** The polling interval in seconds, by the age of the payment in seconds. */
const PAUSES = {
  unknown: [
    [60, 5],
    [600, 30],
    [3600, 300],
    [Number.POSITIVE_INFINITY, 1800],
  ],
  accepted: [
    [600, 60],
    [3600, 600],
    [86_400, 3600],
    [Number.POSITIVE_INFINITY, 6 * 3600],
  ],
} as const

/** When a payment was first given to its rail, and the current time. */
export interface Asking {
  readonly submittedAt: Date
  readonly now: Date
}

/** The time at which a rail that has not reported the outcome of a payment is polled again. */
export function askAgainAt(outcome: keyof typeof PAUSES, { submittedAt, now }: Asking): Date {
  const ageSeconds = (now.getTime() - submittedAt.getTime()) / 1000
  const [, seconds] = requireValue(
    PAUSES[outcome].find(([until]) => ageSeconds < until),
    'pause after any age',
  )
  return plusSeconds(now, seconds)
}
