import { numberIn } from './number-in.ts'

/** How a server ends at SIGTERM. */
export interface StoppingConfig {
  /** For how long it says that it leaves, and still answers. */
  readonly drainSeconds: number
  /** For how long after that requests and jobs under way may take. */
  readonly stopSeconds: number
}

const DRAIN_SECONDS_PRODUCTION = 5
const STOP_SECONDS = 25
const SECONDS_MAX = 3_600

/** Throws ConfigError. A sandbox stops at once: nothing is in front of it. */
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
