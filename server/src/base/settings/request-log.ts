import { numberIn } from './number-in.ts'

/** Days for which logged requests are kept; 0 switches the request log off. Throws ConfigError. */
export function readRequestLogDays(env: Readonly<Record<string, string | undefined>>): number {
  return numberIn(env, 'REQUEST_LOG_DAYS', { least: 0, most: 365, otherwise: 7 })
}
