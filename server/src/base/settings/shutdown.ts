import { numberIn } from './number-in.ts'

/** Behavior at SIGTERM. */
export interface StoppingConfig {
  /** Time during which it reports that it is shutting down, and still serves requests. */
  readonly drainSeconds: number
  /** Time after that for requests and jobs in progress. */
  readonly stopSeconds: number
}

const DRAIN_SECONDS_PRODUCTION = 5
const STOP_SECONDS = 25
const SECONDS_MAX = 3_600

/** Throws ConfigError. A sandbox stops immediately: it has no load balancer. */
export function readStopping(
  env: Readonly<Record<string, string | undefined>>,
  mode: 'sandbox' | 'production',
): StoppingConfig {
  const drainOtherwise = mode === 'production' ? DRAIN_SECONDS_PRODUCTION : 0
  return {
    drainSeconds: numberIn(env, 'COUNTERSIGN_DRAIN_SECONDS', {
      least: 0,
      most: SECONDS_MAX,
      otherwise: drainOtherwise,
    }),
    stopSeconds: numberIn(env, 'COUNTERSIGN_STOP_SECONDS', {
      least: 1,
      most: SECONDS_MAX,
      otherwise: STOP_SECONDS,
    }),
  }
}
