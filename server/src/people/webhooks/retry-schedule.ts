import { type Op, plusSeconds } from '../../kernel/operation/app.ts'

const FIRST_SECONDS = 5
const SECONDS_MAX = 1800
const GIVE_UP_SECONDS = 7 * 24 * 3600

/** The end of the attempts: seven days after the start, by the platform's clock. */
export function giveUpAt(begun: Date): Date {
  return plusSeconds(begun, GIVE_UP_SECONDS)
}

/**
 * When to retry after so many attempts: after 5, 10, 20 … seconds, half an hour at most, shortened at random by up to half,
 * so that deliveries that failed together are not retried together. The last attempt is at the end itself.
 */
export function retryAt(op: Pick<Op, 'now' | 'random'>, attempts: number, until: Date): Date {
  const whole = Math.min(SECONDS_MAX, FIRST_SECONDS * 2 ** Math.min(attempts - 1, 20))
  const [high = 0, low = 0] = op.random(2)
  const share = 0.5 + (high * 256 + low) / 0x20000
  const at = plusSeconds(op.now, whole * share)
  return at < until ? at : until
}
