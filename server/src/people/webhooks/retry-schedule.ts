import type { Answer } from '../../base/http-client/answer.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'

const FIRST_SECONDS = 5
const SECONDS_MAX = 1800
const GIVE_UP_SECONDS = 7 * 24 * 3600
/** The maximum delay that a receiver may request. */
const RETRY_AFTER_SECONDS_MAX = 3600
/** Statuses of responses that may request a delay: too many requests, and unavailable. */
const BUSY: ReadonlySet<number> = new Set([429, 503])

/** Computes the end of the attempts: seven days after the first failure, by the platform's clock. */
export function computeGiveUpTime(failedAt: Date): Date {
  return addSeconds(failedAt, GIVE_UP_SECONDS)
}

/** The part of an operation that the schedule uses. */
type ScheduleContext = Pick<Op, 'now' | 'random'> & {
  readonly platform: Pick<Op['platform'], 'clock_offset_ms'>
}

/**
 * Computes the time of the next attempt: after 5, 10, 20 … seconds, up to half an hour, randomly shortened by
 * up to half so that deliveries that failed together are not retried together. A 429 or 503 response may
 * request a longer wait. The last attempt is at `until` itself.
 */
export function computeRetryTime(
  op: ScheduleContext,
  attempts: number,
  until: Date,
  response?: Pick<Answer, 'status' | 'retryAfter'>,
): Date {
  return computeAttemptTime(op, FIRST_SECONDS * 2 ** Math.min(attempts - 1, 20), until, response)
}

/**
 * Computes the next attempt at an endpoint that has received nothing for a while. The wait is as long as the
 * endpoint has been failing, from 5 seconds to half an hour, so waits double. It has the same random jitter
 * as the retries of events.
 */
export function computeRestEnd(
  op: ScheduleContext,
  failingSince: Date,
  response?: Pick<Answer, 'status' | 'retryAfter'>,
): Date {
  const seconds = (op.now.getTime() - failingSince.getTime()) / 1000
  return computeAttemptTime(op, Math.max(FIRST_SECONDS, seconds), computeGiveUpTime(failingSince), response)
}

function computeAttemptTime(
  op: ScheduleContext,
  seconds: number,
  until: Date,
  response: Pick<Answer, 'status' | 'retryAfter'> | undefined,
): Date {
  const fullSeconds = Math.min(SECONDS_MAX, seconds)
  const [high = 0, low = 0] = op.random(2)
  const share = 0.5 + (high * 256 + low) / 0x20000
  const realMs = op.now.getTime() - Number(op.platform.clock_offset_ms)
  const at = addSeconds(op.now, Math.max(fullSeconds * share, readRetryAfter(response, realMs)))
  return at < until ? at : until
}

/** Reads the wait that the receiver requests, in seconds or as a date in real time. 0 if it requests none. */
function readRetryAfter(response: Pick<Answer, 'status' | 'retryAfter'> | undefined, realMs: number): number {
  const text = response?.retryAfter
  if (text === undefined || !BUSY.has(response?.status ?? 0)) return 0
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - realMs) / 1000
  return Number.isNaN(seconds) ? 0 : Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(0, seconds))
}
