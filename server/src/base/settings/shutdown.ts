import { readInteger } from './number-in.ts'

/** The behavior on SIGTERM. */
export interface StoppingConfig {
  /** The time during which the server announces the shutdown while still serving requests. */
  readonly drainSeconds: number
  /** The time after that for requests and jobs in progress. */
  readonly stopSeconds: number
}

const DRAIN_SECONDS_PRODUCTION = 5
const STOP_SECONDS = 25
const SECONDS_MAX = 3_600

/** Reads the settings. A sandbox has no load balancer, so it stops immediately. Throws ConfigError. */
export function readStopping(
  env: Readonly<Record<string, string | undefined>>,
  mode: 'sandbox' | 'production',
): StoppingConfig {
  const drainFallback = mode === 'production' ? DRAIN_SECONDS_PRODUCTION : 0
  return {
    drainSeconds: readInteger(env, 'COUNTERSIGN_DRAIN_SECONDS', {
      min: 0,
      max: SECONDS_MAX,
      fallback: drainFallback,
    }),
    stopSeconds: readInteger(env, 'COUNTERSIGN_STOP_SECONDS', {
      min: 1,
      max: SECONDS_MAX,
      fallback: STOP_SECONDS,
    }),
  }
}
