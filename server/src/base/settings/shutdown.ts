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
  const drainOtherwise = mode === 'production' ? DRAIN_SECONDS_PRODUCTION : 0
  return {
    drainSeconds: readInteger(env, 'COUNTERSIGN_DRAIN_SECONDS', {
      least: 0,
      most: SECONDS_MAX,
      otherwise: drainOtherwise,
    }),
    stopSeconds: readInteger(env, 'COUNTERSIGN_STOP_SECONDS', {
      least: 1,
      most: SECONDS_MAX,
      otherwise: STOP_SECONDS,
    }),
  }
}
