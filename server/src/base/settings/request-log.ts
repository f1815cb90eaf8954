import { numberIn } from './number-in.ts'

/** For how many days requests are kept; 0: none is. Throws ConfigError. */
export function readRequestLogDays(env: Readonly<Record<string, string | undefined>>): number {
  return numberIn(env, 'REQUEST_LOG_DAYS', { least: 0, most: 365, otherwise: 7 })
}
