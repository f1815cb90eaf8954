import { ConfigError } from './config-error.ts'

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
  return {
    drainSeconds: seconds(
      env,
      'COUNTERSIGN_DRAIN_SECONDS',
      0,
      mode === 'production' ? DRAIN_SECONDS_PRODUCTION : 0,
    ),
    stopSeconds: seconds(env, 'COUNTERSIGN_STOP_SECONDS', 1, STOP_SECONDS),
  }
}

function seconds(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  least: number,
  otherwise: number,
): number {
  const text = env[name] || String(otherwise)
  if (!/^\d{1,4}$/.test(text) || Number(text) < least || Number(text) > SECONDS_MAX)
    throw new ConfigError(`${name} must be a number from ${least} to ${SECONDS_MAX}, not "${text}"`)
  return Number(text)
}
