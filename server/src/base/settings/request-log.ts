import { readInteger } from './number-in.ts'

/** Reads how many days logged requests are kept; 0 disables the request log. Throws ConfigError. */
export function readRequestLogDays(env: Readonly<Record<string, string | undefined>>): number {
  return readInteger(env, 'REQUEST_LOG_DAYS', { min: 0, max: 365, fallback: 7 })
}
