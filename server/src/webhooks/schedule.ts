import { type Op, plusSeconds } from '../op/app.ts'

const FIRST_SECONDS = 5
const SECONDS_MAX = 1800
const GIVE_UP_SECONDS = 7 * 24 * 3600

/** Until when what began then is tried: seven days, by the platform's clock. */
export function giveUpAt(begun: Date): Date {
  return plusSeconds(begun, GIVE_UP_SECONDS)
}

/**
 * When to try again after so many tries: 5, 10, 20 … seconds, half an hour at most, and somewhere between half of that
 * and all of it, so that what failed together does not come back together. The last try is at the end itself.
 */
export function retryAt(op: Pick<Op, 'now' | 'random'>, attempts: number, until: Date): Date {
  const whole = Math.min(SECONDS_MAX, FIRST_SECONDS * 2 ** Math.min(attempts - 1, 20))
  const [high = 0, low = 0] = op.random(2)
  const share = 0.5 + (high * 256 + low) / 0x20000
  const at = plusSeconds(op.now, whole * share)
  return at < until ? at : until
}
