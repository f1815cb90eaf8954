import { requireValue } from '../../base/formats/require-value.ts'
import { addSeconds } from '../../kernel/operation/app.ts'

/**
 * Polling intervals as pairs of seconds: a payment younger than the first number is polled at the interval of
 * the second.
 */
const POLL_INTERVALS = {
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

/** When a payment was submitted to its rail, and the current time. */
export interface PollTimes {
  readonly submittedAt: Date
  readonly now: Date
}

/** When to poll a rail that has not reported the outcome of a payment yet. */
export function computeNextPollAt(
  outcome: keyof typeof POLL_INTERVALS,
  { submittedAt, now }: PollTimes,
): Date {
  const ageSeconds = (now.getTime() - submittedAt.getTime()) / 1000
  const [, seconds] = requireValue(
    POLL_INTERVALS[outcome].find(([until]) => ageSeconds < until),
    'polling interval for every age',
  )
  return addSeconds(now, seconds)
}
